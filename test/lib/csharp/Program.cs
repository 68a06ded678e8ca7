// A toy interpreter with the framing of `K3CSharp --mcp`: one line in, its output and the bytes 01 02 out. It knows whole numbers, names,
// assignment, + and * from right to left, `exit N`, and the server's requests to capture and restore variables.
using System.Text.RegularExpressions;

var variables = new Dictionary<string, long>();
var output = Console.Out;
output.Write("\x01\x02");
output.Flush();
while (Console.ReadLine() is { } line)
{
    try
    {
        output.Write(Toy.Run(variables, line.Trim()));
    }
    catch (Exception error)
    {
        output.Write("Error: " + error.Message);
    }
    output.Write("\x01\x02");
    output.Flush();
}

static class Toy
{
    public static string Run(Dictionary<string, long> variables, string line)
    {
        var facts = Regex.Match(line, @"^\(4:\.k\.(\w+);");
        var image = Regex.Match(line, @"^_ic _bd \.k\.(\w+)$");
        var given = Regex.Match(line, @"^\.k\.(\w+):_db _ci (\d+);$");
        var assigned = Regex.Match(line, @"^(\w+):(.+)$");
        if (line == "") return "";
        if (line == "!`") return "`k`t";
        if (line == "!`.k") return string.Concat(variables.Keys.Select(name => "`" + name));
        if (line == "\\p") return "7\n";
        if (line == "\\r") return "-314159\n";
        if (line == "\\d") return ".k\n";
        if (line == "\\cd") return "/\n";
        if (line.StartsWith('\\')) return "";
        if (line.StartsWith("exit ")) Environment.Exit(int.Parse(line[5..]));
        if (facts.Success) return "(1;!0;1)";
        if (image.Success) return variables[image.Groups[1].Value].ToString();
        if (given.Success) return Assign(variables, given.Groups[1].Value, long.Parse(given.Groups[2].Value));
        if (assigned.Success) return Assign(variables, assigned.Groups[1].Value, Value(variables, assigned.Groups[2].Value));
        return Value(variables, line).ToString();
    }

    static string Assign(Dictionary<string, long> variables, string name, long value)
    {
        variables[name] = value;
        return "";
    }

    static long Value(Dictionary<string, long> variables, string text)
    {
        var at = text.IndexOfAny(['+', '*']);
        if (at < 0) return Atom(variables, text.Replace(".k.", ""));
        var (left, right) = (Value(variables, text[..at]), Value(variables, text[(at + 1)..]));
        return text[at] == '+' ? left + right : left * right;
    }

    static long Atom(Dictionary<string, long> variables, string text)
    {
        if (long.TryParse(text, out var number)) return number;
        return variables.TryGetValue(text, out var value) ? value : throw new Exception("Undefined variable: " + text);
    }
}
