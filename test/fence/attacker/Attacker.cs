// What K code can make K3CSharp do through `2:`: tells what it reached, or the error it met.
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Fence;

public static class Attacker
{
    [DllImport("libc", SetLastError = true)] static extern int kill(int pid, int signal);
    [DllImport("libc", SetLastError = true)] static extern long ptrace(long request, int pid, IntPtr address, IntPtr data);
    [DllImport("libc", SetLastError = true)] static extern int unshare(int flags);
    [DllImport("libc", SetLastError = true)] static extern int mount(string source, string target, string type, ulong flags, string? data);
    [DllImport("libc", SetLastError = true)] static extern int mknod(string path, uint mode, ulong device);
    [DllImport("libc", SetLastError = true)] static extern int setuid(uint user);
    [DllImport("libc", SetLastError = true)] static extern int socket(int family, int type, int protocol);
    [DllImport("libc", SetLastError = true)] static extern long syscall(long number, string type, string name, byte[] key, long size, long keyring);

    [DllImport("libc", SetLastError = true)] static extern int memfd_create(string name, uint flags);
    [DllImport("libc", SetLastError = true)] static extern int creat(string path, uint mode);
    [DllImport("libc", SetLastError = true)] static extern int ftruncate(int descriptor, long size);
    [DllImport("libc", SetLastError = true)] static extern int open(string path, int flags);
    [DllImport("libc", SetLastError = true)] static extern IntPtr mmap(IntPtr address, long size, int protection, int flags, int descriptor, long offset);
    [DllImport("libc", SetLastError = true)] static extern int shmget(int key, long size, int flags);
    [DllImport("libc", SetLastError = true)] static extern IntPtr shmat(int id, IntPtr address, int flags);
    [DllImport("libc", SetLastError = true)] static extern int name_to_handle_at(int folder, string path, byte[] handle, out int mount, int flags);
    [DllImport("libc", SetLastError = true)] static extern int open_by_handle_at(int mount, byte[] handle, int flags);

    static string Try(Func<string> act)
    {
        try { return act(); }
        catch (Exception error) { return "ERROR " + error.GetType().Name + " " + error.Message; }
    }

    static string Called(long answer) => answer >= 0 ? "DONE" : "ERROR errno " + Marshal.GetLastPInvokeError();

    /// <summary>The words of `task` are what to do, and to what. What came of it is in the file `result` of the working folder.</summary>
    public static int Run(string task)
    {
        var words = task.Split(' ');
        File.WriteAllText("result", Try(() => words[0] switch
        {
            "read" => File.ReadAllText(words[1]),
            "write" => Write(words[1]),
            "list" => string.Join(" ", Directory.GetFileSystemEntries(words[1])),
            "processes" => string.Join(" ", System.Diagnostics.Process.GetProcesses().Select(each => each.Id)),
            "kill" => Called(kill(int.Parse(words[1]), 0)),
            "ptrace" => Called(ptrace(16, int.Parse(words[1]), IntPtr.Zero, IntPtr.Zero)),
            "unshare" => Called(unshare(0x10000000)),
            "mount" => Called(mount("none", words[1], "tmpfs", 0, null)),
            "mknod" => Called(mknod(words[1], 0x2000 | 0x1b6, 0x101)),
            "setuid" => Called(setuid(0)),
            "socket" => Called(socket(int.Parse(words[1]), 1, 0)),
            "key" => Called(syscall(RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 217 : 248, "user", words[1], [1], 1, -3)),
            "tcp" => Tcp(int.Parse(words[1])),
            "unix" => Unix(words[1]),
            "abstract" => Unix("\0" + words[1]),
            "create" => Called(creat(words[1], 0x9ed)),
            "later" => Later(words[1], words[2]),
            "memfd" => Shared(words[1], 1, Sized(memfd_create("x", 0), words[1])),
            "shared" => Shared(words[1], int.Parse(words[2]), -1),
            "zero" => Shared(words[1], 1, open("/dev/zero", 2)),
            "shmget" => SystemV(words[1]),
            "handle" => Handle(words[1]),
            "environment" => string.Join(" ", Environment.GetEnvironmentVariables().Keys.Cast<string>()),
            _ => "ERROR no such task",
        }));
        return 0;
    }

    static string Later(string folder, string marker)
    {
        new Thread(() =>
        {
            Thread.Sleep(3000);
            try
            {
                Directory.CreateDirectory(folder);
                File.WriteAllText(folder + "/x", "x");
            }
            catch (IOException)
            {
                // The server has moved the folder. Uncaught, this would end the interpreter before the marker is there.
            }
            File.WriteAllText(marker, "x");
        }) { IsBackground = true }.Start();
        return "begun";
    }

    static long Bytes(string mebibytes) => long.Parse(mebibytes) << 20;

    static int Sized(int descriptor, string mebibytes)
    {
        ftruncate(descriptor, Bytes(mebibytes));
        return descriptor;
    }

    /// <summary>Writes to each page.</summary>
    static string Fill(IntPtr memory, long size)
    {
        if (memory == -1) return "ERROR errno " + Marshal.GetLastPInvokeError();
        for (long at = 0; at < size; at += 4096) Marshal.WriteByte((IntPtr)(memory.ToInt64() + at), 1);
        return "DONE";
    }

    static string Shared(string mebibytes, int flags, int descriptor) =>
        Fill(mmap(IntPtr.Zero, Bytes(mebibytes), 3, flags, descriptor, 0), Bytes(mebibytes));

    static string SystemV(string mebibytes) => Fill(shmat(shmget(0, Bytes(mebibytes), 0x3b0), IntPtr.Zero, 0), Bytes(mebibytes));

    static string Handle(string path)
    {
        var handle = new byte[136];
        handle[0] = 128;
        if (name_to_handle_at(-100, path, handle, out _, 0) < 0) return "ERROR errno " + Marshal.GetLastPInvokeError();
        return Called(open_by_handle_at(open(path, 0), handle, 0));
    }

    static string Write(string path)
    {
        File.WriteAllText(path, "written");
        return "DONE";
    }

    static string Tcp(int port)
    {
        using var client = new TcpClient();
        client.Connect(IPAddress.Loopback, port);
        using var reader = new StreamReader(client.GetStream());
        return reader.ReadLine() ?? "DONE";
    }

    static string Unix(string path)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Connect(new UnixDomainSocketEndPoint(path));
        var bytes = new byte[64];
        return System.Text.Encoding.UTF8.GetString(bytes, 0, socket.Receive(bytes));
    }
}
