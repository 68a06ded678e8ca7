/**
 * The K3 skill, served by the SDK's skills extension (SEP-2640): `skills/list` and `skills/get` return its files with their digests;
 * `resources/read` returns their text (`resources/skill.ts`).
 */
import { type Skill, SkillsExtension, skillEntry } from "@modelcontextprotocol/server/ext/skills"
import { loadHelp } from "./loadHelp.ts"

const entry = async (): Promise<Skill> => skillEntry("k3", Object.fromEntries(await loadHelp(({ skillFiles }) => skillFiles())))

export const skills = new SkillsExtension({
  source: {
    list: async () => ({ skills: [await entry()] }),
    get: async (uri) => {
      const skill = await entry()
      return skill.uri === uri ? skill : undefined
    },
    read: async () => undefined,
  },
})
