/**
 * Attempts to get out of the fence: the attempt, the harm that must not happen, and the fact that shows it. Each runs on both engines, fenced and
 * not, as root and as another user. Shell commands are allowed: a shell and `2:` stand for all that K code may reach. Loopback and this machine alone.
 */

/** Where an attempt is made. Absolute paths; the test makes all of it. */
export interface Scene {
  readonly root: string
  /** A folder beside the root. */
  readonly outside: string
  /** Stands in `outside/secret` and in the environment of server and victim; every listener sends it. */
  readonly secret: string
  readonly port: number
  /** A unix socket is `outside/socket` and `root/socket`, and one of this name is abstract. */
  readonly abstract: string
  readonly serverPid: number
  readonly victimPid: number
  /** A descriptor of `outside/secret` that the server was started with. */
  readonly descriptor: number
  /** Where the engine runs from. */
  readonly program: string
  readonly node: string
}

/** Facts that a test looks at afterwards, outside the fence. */
export interface Sight {
  /** The output of the attempt. */
  readonly said: string
  readonly exists: (path: string) => boolean
  readonly text: (path: string) => string
  readonly isAlive: (pid: number) => boolean
  /** Of processes whose command line has this text. */
  readonly count: (mark: string) => number
}

type Way =
  /** A script of /bin/sh. */
  | { readonly sh: (scene: Scene) => string }
  /** K code. */
  | { readonly k: (scene: Scene) => string }
  /** A task for the library that K3CSharp loads by `2:`. */
  | { readonly net: (scene: Scene) => string }

export type Attempt = Way & {
  readonly tries: string
  readonly mustNot: string
  readonly happened: (sight: Sight, scene: Scene) => boolean
  /** Run fenced alone. */
  readonly destructive?: true
  /** It happens inside the fence too: why. */
  readonly known?: string
  /** It is seen when the server has been killed. */
  readonly afterwards?: true
  /** It goes on behind the evaluation; it is seen when this file of the root is there. */
  readonly until?: string
  /** It goes on behind the evaluation, while so many sessions are launched which try this script. */
  readonly sessions?: { readonly count: number; readonly sh: string }
  /** Known to happen only when the server is root. */
  readonly knownAsRoot?: true
}

const reads = ({ said }: Sight, { secret }: Scene): boolean => said.includes(secret)
const done = ({ said }: Sight): boolean => said.includes("DONE")
const secretIs = "the secret is read"
const connects = "it connects"

/** Connects with Node and prints what it hears. */
const connect = (to: string) => (scene: Scene) =>
  `exec ${scene.node} -e 'require("net").connect(${to.replace("ROOT", scene.root).replace("OUT", scene.outside).replace("PORT", String(scene.port)).replace("NAME", scene.abstract)}).on("data",d=>{console.log(String(d));process.exit()}).on("error",e=>console.log(e.code))'`

export const attempts: readonly Attempt[] = [
  // Reading
  { tries: "cat a file beside the root", mustNot: secretIs, sh: ({ outside }) => `cat ${outside}/secret`, happened: reads },
  { tries: "`0:` of it", mustNot: secretIs, k: ({ outside }) => `0:\`"${outside}/secret"`, happened: reads },
  { tries: "`6:` of it", mustNot: secretIs, k: ({ outside }) => `6:\`"${outside}/secret"`, happened: reads },
  { tries: "`1:` of it", mustNot: secretIs, k: ({ outside }) => `1:"${outside}/data"`, happened: reads },
  { tries: "`0:` of `../outside/secret`", mustNot: secretIs, k: () => '0:`"../outside/secret"', happened: reads },
  { tries: "`\\l` of a script beside the root", mustNot: secretIs, k: ({ outside }) => `\\l ${outside}/script.k\nx`, happened: reads },
  { tries: "`2:`, .NET's own file reading", mustNot: secretIs, net: ({ outside }) => `read ${outside}/secret`, happened: reads },
  {
    tries: "`2:`, list the folder beside the root",
    mustNot: "its names are told",
    net: ({ outside }) => `list ${outside}`,
    happened: ({ said }) => said.includes("secret"),
  },
  {
    tries: "a symbolic link in the root",
    mustNot: secretIs,
    sh: ({ outside }) => `ln -sf ${outside}/secret link; cat link`,
    happened: reads,
  },
  { tries: "a link that K follows", mustNot: secretIs, k: ({ root }) => `0:\`"${root}/planted"`, happened: reads },
  {
    tries: "a hard link into the root",
    mustNot: secretIs,
    sh: ({ outside }) => `rm -f hard; ln ${outside}/secret hard; cat hard`,
    happened: reads,
  },
  { tries: "/proc/self/root", mustNot: secretIs, sh: ({ outside }) => `cat /proc/self/root${outside}/secret`, happened: reads },
  { tries: "/proc/1/root", mustNot: secretIs, sh: ({ outside }) => `cat /proc/1/root${outside}/secret`, happened: reads },
  {
    tries: "/proc/SERVER/root",
    mustNot: secretIs,
    sh: ({ serverPid, outside }) => `cat /proc/${serverPid}/root${outside}/secret`,
    happened: reads,
  },
  {
    tries: "/proc/SERVER/cwd/..",
    mustNot: secretIs,
    sh: ({ serverPid }) => `cat /proc/${serverPid}/cwd/../outside/secret`,
    happened: reads,
  },
  {
    tries: "`..` out of the working folder",
    mustNot: secretIs,
    sh: () => "cd ..; cat ../*/outside/secret outside/secret",
    happened: reads,
  },
  {
    tries: "the list of passwords' hashes, or the home folder's names",
    mustNot: "they are told",
    sh: () => "cat /etc/shadow && echo DONE; ls /home /var/tmp && echo DONE",
    happened: done,
  },
  { tries: "the state folder inside a root", mustNot: secretIs, sh: ({ root }) => `cat ${root}/own/state/token`, happened: reads },
  // Writing
  {
    tries: "write beside the root",
    mustNot: "the file is there",
    sh: ({ outside }) => `echo x > ${outside}/by-sh`,
    happened: ({ exists }, { outside }) => exists(`${outside}/by-sh`),
  },
  {
    tries: "`0:` beside the root",
    mustNot: "the file is there",
    k: ({ outside }) => `"${outside}/by-k" 0: ,"x"`,
    happened: ({ exists }, { outside }) => exists(`${outside}/by-k`),
  },
  {
    tries: "`1:` beside the root",
    mustNot: "the file is there",
    k: ({ outside }) => `"${outside}/by-1" 1: !3`,
    happened: ({ exists }, { outside }) => ["", ".l"].some((end) => exists(`${outside}/by-1${end}`)),
  },
  {
    tries: "`2:`, .NET's own file writing",
    mustNot: "the file is there",
    net: ({ outside }) => `write ${outside}/by-net`,
    happened: ({ exists }, { outside }) => exists(`${outside}/by-net`),
  },
  {
    tries: "write through a link in the root",
    mustNot: "the file is there",
    sh: ({ outside }) => `ln -sfn ${outside} way; echo x > way/by-link`,
    happened: ({ exists }, { outside }) => exists(`${outside}/by-link`),
  },
  {
    tries: "the engine's own program",
    mustNot: "it is changed",
    sh: ({ program }) => `echo x > ${program}/changed`,
    happened: ({ exists }, { program }) => exists(`${program}/changed`),
  },
  {
    tries: "a hook in .git",
    mustNot: "it is there",
    sh: ({ root }) => `echo x > ${root}/.git/hooks-x`,
    happened: ({ exists }, { root }) => exists(`${root}/.git/hooks-x`),
  },
  {
    tries: "put another .git in its place",
    mustNot: "it is there",
    sh: () => "mv .git git-away && mkdir .git && echo x > .git/other",
    happened: ({ exists }, { root }) => exists(`${root}/.git/other`),
  },
  {
    tries: "the host's .mcp.json",
    mustNot: "it is changed",
    sh: () => "echo changed >> .mcp.json",
    happened: ({ text }, { root }) => text(`${root}/.mcp.json`).includes("changed"),
  },
  {
    tries: "`0:` of the host's .mcp.json",
    mustNot: "it is changed",
    k: ({ root }) => `"${root}/.mcp.json" 0: ,"changed"`,
    happened: ({ text }, { root }) => text(`${root}/.mcp.json`).includes("changed"),
  },
  {
    tries: "a .vscode where there was none",
    mustNot: "it stays",
    sh: () => "mkdir -p .vscode; echo x > .vscode/tasks.json",
    happened: ({ exists }, { root }) => exists(`${root}/.vscode`),
  },
  {
    tries: "a .envrc in a new folder",
    mustNot: "it stays",
    sh: () => "mkdir -p new/deep; echo x > new/deep/.envrc",
    happened: ({ exists }, { root }) => exists(`${root}/new/deep/.envrc`),
  },
  {
    tries: "a .idea, by a program left behind that makes it later",
    mustNot: "it stays",
    sh: () => "(sleep 3; mkdir .idea; echo x > .idea/x; echo x > later-by-sh) > /dev/null 2>&1 < /dev/null &",
    happened: ({ exists }, { root }) => exists(`${root}/.idea`),
    until: "later-by-sh",
  },
  {
    tries: "a .envrc and a .vscode in a folder, all of them closed to writers then",
    mustNot: "it stays",
    sh: () => "mkdir -p shut/.vscode; echo x > shut/.envrc; chmod 555 shut/.vscode shut",
    happened: ({ exists }, { root }) => exists(`${root}/shut/.envrc`) || exists(`${root}/shut/.vscode`),
  },
  {
    tries: "`2:`, a .zed, by a thread left behind that makes it later",
    mustNot: "it stays",
    net: ({ root }) => `later ${root}/.zed ${root}/later-by-net`,
    happened: ({ exists }, { root }) => exists(`${root}/.zed`),
    until: "later-by-net",
  },
  {
    tries: "a root in the root that is swapped for a link, while sessions are launched",
    mustNot: secretIs,
    sh: () =>
      "(end=$(($(date +%s)+8)); while [ $(date +%s) -lt $end ]; do mv inner away; ln -s .. inner; rm inner; mv away inner; done; echo x > swapped) > /dev/null 2>&1 < /dev/null &",
    sessions: { count: 5, sh: "cat ../outside/secret" },
    happened: reads,
    until: "swapped",
  },
  {
    tries: "a program that runs as the server's user for whoever starts it",
    mustNot: "it is there",
    sh: () =>
      "cp /bin/true set-id; chmod 4755 set-id; install -m 2755 /bin/true set-id-2; test -u set-id && echo DONE; test -g set-id-2 && echo DONE",
    happened: done,
  },
  {
    tries: "`2:`, such a program, by the mode that a file is made with",
    mustNot: "it is there",
    net: ({ root }) => `create ${root}/set-id-3`,
    happened: done,
  },
  {
    tries: "a program in node_modules/.bin of the server's PATH",
    mustNot: "it is there",
    sh: ({ root }) => `echo x > ${root}/node_modules/.bin/flock`,
    happened: ({ exists }, { root }) => exists(`${root}/node_modules/.bin/flock`),
  },
  {
    tries: "put another node_modules, with such a program, in its place",
    mustNot: "it is there",
    sh: () => "mv node_modules modules-away && mkdir -p node_modules/.bin && echo x > node_modules/.bin/setpriv",
    happened: ({ exists }, { root }) => exists(`${root}/node_modules/.bin/setpriv`),
  },
  {
    tries: "a folder of the server's PATH that was missing, with such a program",
    mustNot: "it stays",
    sh: () => "mkdir -p tools/bin; echo x > tools/bin/k3-mcp",
    happened: ({ exists }, { root }) => exists(`${root}/tools/bin/k3-mcp`),
  },
  {
    tries: "`0:` of the package.json whose programs npx runs",
    mustNot: "it stays",
    k: ({ root }) => `"${root}/package.json" 0: ,"{}"`,
    happened: ({ exists }, { root }) => exists(`${root}/package.json`),
  },
  {
    tries: "put another folder in place of the one around the state folder",
    mustNot: "it is there",
    sh: () => "mv own own-away && mkdir -p own/state && echo x > own/state/token",
    happened: ({ exists }, { root }) => exists(`${root}/own-away`),
  },
  {
    tries: "the project file of the build",
    mustNot: "it is changed",
    sh: ({ root }) => `echo changed >> ${root}/K3CSharp/K3CSharp.csproj`,
    happened: ({ text }, { root }) => text(`${root}/K3CSharp/K3CSharp.csproj`).includes("changed"),
  },
  {
    tries: "a source file of the build",
    mustNot: "it is changed",
    sh: ({ root }) => `echo changed >> ${root}/K3CSharp/Program.cs`,
    happened: ({ text }, { root }) => text(`${root}/K3CSharp/Program.cs`).includes("changed"),
  },
  {
    tries: "a file in the system's folders",
    mustNot: "it is there",
    sh: ({ secret }) => `echo x > /usr/${secret}; echo x > /etc/${secret}; echo x > /${secret}`,
    happened: ({ exists }, { secret }) => ["/usr", "/etc", ""].some((folder) => exists(`${folder}/${secret}`)),
    destructive: true,
  },
  {
    tries: "a draft that is renamed to .envrc, among 50,000 other changes",
    mustNot: "it stays",
    sh: ({ node, root }) =>
      `exec ${node} -e 'const fs=require("fs");for(let i=0;i<25000;i++){fs.writeFileSync("storm"+i%2,"");fs.rmSync("storm"+i%2)}fs.writeFileSync("${root}/draft","");fs.renameSync("${root}/draft","${root}/.envrc")'`,
    happened: ({ exists }, { root }) => exists(`${root}/.envrc`),
  },
  // Processes
  {
    tries: "list the processes",
    mustNot: "the server is among them",
    sh: ({ serverPid }) => `test -d /proc/${serverPid} && grep -q node /proc/${serverPid}/cmdline && echo DONE`,
    happened: done,
  },
  {
    tries: "`2:`, list the processes",
    mustNot: "the server is among them",
    net: () => "processes",
    happened: ({ said }, { serverPid }) => said.split(/\s/).includes(String(serverPid)),
  },
  {
    tries: "kill another process",
    mustNot: "it dies",
    sh: ({ victimPid }) => `kill -9 ${victimPid} && echo DONE`,
    happened: (sight, { victimPid }) => done(sight) || !sight.isAlive(victimPid),
  },
  { tries: "signal the server", mustNot: "it is reached", sh: ({ serverPid }) => `kill -0 ${serverPid} && echo DONE`, happened: done },
  { tries: "`2:`, signal the server", mustNot: "it is reached", net: ({ serverPid }) => `kill ${serverPid}`, happened: done },
  { tries: "`2:`, trace the server", mustNot: "it is traced", net: ({ victimPid }) => `ptrace ${victimPid}`, happened: done },
  {
    tries: "the server's environment",
    mustNot: secretIs,
    sh: ({ serverPid }) => `tr '\\0' '\\n' < /proc/${serverPid}/environ`,
    happened: reads,
  },
  {
    tries: "the server's memory",
    mustNot: "it opens",
    sh: ({ serverPid, secret }) =>
      `head -c 1 /proc/${serverPid}/maps > /dev/null && grep -q ${secret.slice(0, 4)} /proc/${serverPid}/environ && echo DONE`,
    happened: done,
  },
  {
    tries: "the server's own streams",
    mustNot: "they open",
    sh: ({ serverPid }) => `ls /proc/${serverPid}/fd > /dev/null && echo DONE`,
    happened: done,
  },
  {
    tries: "a program that outlives the server",
    mustNot: "it lives on",
    sh: ({ node, secret }) => `setsid nohup ${node} -e 'setInterval(()=>{},1e9)' outlives-${secret} >/dev/null 2>&1 </dev/null & sleep 0.2`,
    happened: ({ count }, { secret }) => count(`outlives-${secret}`) > 0,
    afterwards: true,
  },
  {
    tries: "`2:`, trace the first process inside, which has no limits",
    mustNot: "it is traced",
    net: () => "ptrace 1",
    happened: done,
    destructive: true,
  },
  {
    tries: "lift its own limits",
    mustNot: "they are lifted",
    sh: () => "bash -c 'ulimit -d unlimited && ulimit -c unlimited' && echo DONE",
    happened: done,
  },
  {
    tries: "lift the limit of its stack, which is memory that counts nowhere else",
    mustNot: "it is lifted",
    sh: () => "bash -c 'ulimit -s unlimited' && echo DONE",
    happened: done,
  },
  {
    tries: "the kernel's log",
    mustNot: "it is read",
    sh: () => "dmesg | grep -q . && echo DONE; head -c 1 /dev/kmsg | grep -q . && echo DONE",
    happened: done,
  },
  // Network
  { tries: "TCP to loopback", mustNot: connects, sh: connect('PORT,"127.0.0.1"'), happened: reads },
  { tries: "`2:`, TCP to loopback", mustNot: connects, net: ({ port }) => `tcp ${port}`, happened: reads },
  { tries: "bash's /dev/tcp", mustNot: connects, sh: ({ port }) => `bash -c 'head -1 < /dev/tcp/127.0.0.1/${port}'`, happened: reads },
  { tries: "a unix socket beside the root", mustNot: connects, sh: connect('"OUT/socket"'), happened: reads },
  { tries: "`2:`, a unix socket beside the root", mustNot: connects, net: ({ outside }) => `unix ${outside}/socket`, happened: reads },
  { tries: "an abstract unix socket", mustNot: connects, sh: connect('"\\0NAME"'), happened: reads },
  { tries: "`2:`, an abstract unix socket", mustNot: connects, net: ({ abstract }) => `abstract ${abstract}`, happened: reads },
  {
    tries: "`2:`, a socket to the host of a virtual machine (vsock)",
    mustNot: "it is made",
    net: () => "socket 40",
    happened: done,
  },
  {
    tries: "a unix socket that others made inside the root",
    mustNot: connects,
    sh: connect('"ROOT/socket"'),
    happened: reads,
    known: "bubblewrap alone cannot refuse it",
  },
  // Inherited things
  {
    tries: "a descriptor that the server was started with",
    mustNot: secretIs,
    sh: ({ descriptor }) => `cat /proc/self/fd/${descriptor}; cat /proc/$PPID/fd/${descriptor}`,
    happened: reads,
  },
  { tries: "the environment", mustNot: secretIs, sh: () => "env; cat /proc/self/environ /proc/1/environ", happened: reads },
  {
    tries: "`2:`, the environment's names",
    mustNot: "a variable is there that is not on the list",
    net: () => "environment",
    happened: ({ said }) => said.includes("K3_TEST_SECRET"),
  },
  {
    tries: "`2:`, the server's keyring in the kernel",
    mustNot: "a key is put into it",
    net: ({ secret }) => `key ${secret}`,
    happened: done,
  },
  // The system
  {
    tries: "mount a file system",
    mustNot: "it is mounted",
    sh: ({ root }) => `mkdir -p mnt; mount -t tmpfs none ${root}/mnt && echo DONE`,
    happened: done,
    destructive: true,
  },
  {
    tries: "`2:`, mount a file system",
    mustNot: "it is mounted",
    net: ({ root }) => `mount ${root}/new`,
    happened: done,
    destructive: true,
  },
  {
    tries: "make a read-only place writable",
    mustNot: "it is",
    sh: ({ root }) => `mount -o remount,rw,bind ${root}/.git && echo DONE; umount ${root}/.git && echo DONE`,
    happened: done,
    destructive: true,
  },
  { tries: "a new user namespace", mustNot: "it is made", sh: () => "unshare -Ur true && echo DONE", happened: done },
  {
    tries: "a new mount namespace",
    mustNot: "it is made",
    sh: () => "unshare -m true && echo DONE; unshare -Urm true && echo DONE",
    happened: done,
  },
  { tries: "`2:`, a new user namespace", mustNot: "it is made", net: () => "unshare", happened: done },
  { tries: "change the root folder", mustNot: "it is changed", sh: () => "chroot / true && echo DONE", happened: done },
  {
    tries: "become root by a program that may",
    mustNot: "it does",
    sh: () => "test $(id -u) -ne 0 && su root -c 'echo DONE' < /dev/null",
    happened: done,
  },
  {
    tries: "a device node",
    mustNot: "it is made",
    sh: () => "rm -f node; mknod node c 1 5 && head -c 1 node > /dev/null && echo DONE",
    happened: done,
    destructive: true,
  },
  { tries: "`2:`, a device node", mustNot: "it is made", net: ({ root }) => `mknod ${root}/device`, happened: done, destructive: true },
  {
    tries: "disks and memory as devices",
    mustNot: "they open",
    sh: () => "for each in /dev/sd? /dev/vd? /dev/nvme?n1 /dev/mem /dev/kmsg; do head -c 1 $each > /dev/null 2>&1 && echo DONE; done",
    happened: done,
    destructive: true,
  },
  {
    tries: "core_pattern",
    mustNot: "it opens for writing",
    sh: () => "( : >> /proc/sys/kernel/core_pattern ) && echo DONE",
    happened: done,
    destructive: true,
  },
  {
    tries: "the machine's name",
    mustNot: "it changes outside",
    sh: ({ secret }) => `hostname ${secret}; echo ${secret} > /proc/sys/kernel/hostname`,
    happened: ({ text }, { secret }) => text("/proc/sys/kernel/hostname").includes(secret),
    destructive: true,
  },
  {
    tries: "a control group's release agent",
    mustNot: "it opens for writing",
    sh: () => "find /sys/fs/cgroup -name 'cgroup.procs' -writable 2>/dev/null | grep -q . && echo DONE",
    happened: done,
    destructive: true,
  },
  {
    tries: "the kernel's switches: sysrq, modules, another kernel, swap, the clock",
    mustNot: "one opens or changes",
    sh: () =>
      "( : >> /proc/sysrq-trigger ) && echo DONE; ( : >> /proc/sys/kernel/modprobe ) && echo DONE; ( : >> /sys/kernel/uevent_helper ) && echo DONE; date -s @0 > /dev/null && echo DONE; swapoff -a && echo DONE; modprobe dummy && echo DONE",
    happened: done,
    destructive: true,
  },
  {
    tries: "`2:`, a file by its handle, past all folders",
    mustNot: "it opens",
    net: () => "handle /",
    happened: done,
    destructive: true,
  },
  // Limits
  {
    tries: "1,000 processes",
    mustNot: "they run at once",
    sh: () =>
      "n=0; while [ $n -lt 1000 ]; do sleep 20 & n=$((n+1)); done 2>/dev/null; ls -d /proc/[0-9]* | wc -l | { read n; test $n -gt 900 && echo DONE; }; kill $(jobs -p) 2>/dev/null",
    happened: done,
    destructive: true,
    known: "the system does not limit root's processes",
    knownAsRoot: true,
  },
  {
    tries: "watches of files, of which the server's user has so many",
    mustNot: "one is made",
    sh: ({ node }) => `exec ${node} -e 'require("fs").watch("/usr",()=>{});console.log("DO"+"NE");process.exit()'`,
    happened: done,
  },
  {
    tries: "a lease of a file that is read-only inside: whoever opens it waits for 45 seconds",
    mustNot: "it is had",
    sh: ({ root }) => `exec perl -e 'open my $file, "<", "${root}/.mcp.json"; print "DO", "NE" if fcntl $file, 1024, 1'`,
    happened: done,
  },
  {
    tries: "8 GiB of memory",
    mustNot: "a process gets them",
    sh: ({ node }) =>
      `${node} --max-old-space-size=20000 -e 'const all=[];for(let i=0;i<64;i++)all.push(Buffer.alloc(128<<20,1));console.log("DO"+"NE")'`,
    happened: done,
    destructive: true,
  },
  {
    tries: "`2:`, 4 GiB of memory without a file, shared by processes (memfd)",
    mustNot: "a process gets them",
    net: () => "memfd 4096",
    happened: done,
    destructive: true,
  },
  {
    tries: "`2:`, 4 GiB of anonymous shared memory",
    mustNot: "a process gets them",
    net: () => "shared 4096 33",
    happened: done,
    destructive: true,
  },
  {
    tries: "`2:`, 4 GiB of shared memory through /dev/zero",
    mustNot: "a process gets them",
    net: () => "zero 4096",
    happened: done,
    destructive: true,
  },
  {
    tries: "`2:`, 4 GiB of memory that grows like a stack",
    mustNot: "a process gets them",
    net: () => "shared 4096 290",
    happened: done,
    destructive: true,
  },
  {
    tries: "`2:`, 4 GiB of System V shared memory",
    mustNot: "a process gets them",
    net: () => "shmget 4096",
    happened: done,
    destructive: true,
  },
  {
    tries: "semaphores and queues of System V, whose memory counts for no process",
    mustNot: "they are made",
    sh: () => `perl -e 'for (semget(0, 1, 01600), msgget(0, 01600)) { print "DO", "NE" if defined }'`,
    happened: done,
    destructive: true,
  },
  {
    tries: "fill /tmp",
    mustNot: "it takes 300 MiB",
    sh: () => "head -c 300M /dev/zero > /tmp/filler && echo DONE; rm -f /tmp/filler",
    happened: done,
    destructive: true,
  },
  {
    tries: "fill /dev/shm",
    mustNot: "it takes 100 MiB",
    sh: () => "head -c 100M /dev/zero > /dev/shm/filler && echo DONE; rm -f /dev/shm/filler",
    happened: done,
    destructive: true,
  },
]
