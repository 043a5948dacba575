package io.iwarp.tools;

import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script with which a shell completes the commands and their options. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = "Prints a completion script for a shell.",
        footer = {
            "%nExample:",
            "  bash, zsh:  source <(iwarp completion bash)",
            "  fish:       iwarp completion fish | source"
        })
final class CompletionScript implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
    private Shell shell;

    /** The supported shells. */
    enum Shell {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public Integer call() {
        CommandLine root = spec.root().commandLine();
        PrintWriter out = spec.commandLine().getOut();
        if (shell == Shell.FISH) {
            out.print(fish(root));
        } else {
            // This script serves zsh as well, by bashcompinit.
            out.print(AutoComplete.bash(root.getCommandName(), root));
        }
        out.flush();
        return 0;
    }

    private static String fish(CommandLine root) {
        StringBuilder script = new StringBuilder();
        line(script, root, "-f", "");
        addLevel(script, root, root, "__fish_use_subcommand");
        return script.toString();
    }

    /** Adds the completions of a command, then those of its subcommands. */
    private static void addLevel(StringBuilder script, CommandLine root, CommandLine command, String condition) {
        List<CommandLine> subcommands = command.getSubcommands().values().stream()
                .distinct()
                .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                .sorted(Comparator.comparing(CommandLine::getCommandName))
                .toList();
        for (CommandLine subcommand : subcommands) {
            line(
                    script,
                    root,
                    "-n " + quoted(condition) + " -a " + subcommand.getCommandName(),
                    firstOf(subcommand.getCommandSpec().usageMessage().description()));
        }
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                line(script, root, "-n " + quoted(condition) + names(option), firstOf(option.description()));
            }
        }
        for (PositionalParamSpec parameter : command.getCommandSpec().positionalParameters()) {
            if (parameter.completionCandidates() != null) {
                line(script, root, "-n " + quoted(condition) + candidates(parameter), "");
            }
        }
        String seen = command == root ? "" : condition + "; and ";
        for (CommandLine subcommand : subcommands) {
            addLevel(script, root, subcommand, seen + "__fish_seen_subcommand_from " + subcommand.getCommandName());
        }
    }

    private static String names(OptionSpec option) {
        StringBuilder names = new StringBuilder();
        for (String name : option.names()) {
            names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        if (option.arity().max() > 0) {
            names.append(" -r");
            if (option.completionCandidates() != null) {
                names.append(candidates(option));
            }
        }
        return names.toString();
    }

    private static String candidates(ArgSpec argument) {
        return " -a " + quoted(String.join(" ", argument.completionCandidates()));
    }

    private static void line(StringBuilder script, CommandLine root, String what, String description) {
        script.append("complete -c ").append(root.getCommandName()).append(' ').append(what);
        if (!description.isEmpty()) {
            script.append(" -d ").append(quoted(description));
        }
        script.append('\n');
    }

    /** Returns the first sentence of a description. */
    private static String firstOf(String[] description) {
        String text = String.join(" ", description).replaceAll("%n", " ").replaceAll("\\$\\{[^}]*}", "");
        int end = text.indexOf(". ");
        return (end < 0 ? text : text.substring(0, end)).replaceAll("[.;:]\\s*$", "");
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
