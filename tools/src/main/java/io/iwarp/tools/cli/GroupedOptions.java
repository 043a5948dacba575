package io.iwarp.tools.cli;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Groups the options in the help of a command: its own options first, then the shared ones. */
public final class GroupedOptions implements IHelpSectionRenderer {
    private static final String OWN = "Options";
    private static final String OTHER = "Other options";
    private static final Map<Class<?>, String> GROUPS = Map.of(
            WireOptions.class, "iWARP options",
            SetupOptions.class, "iWARP options",
            TransportOptions.class, "Transport options",
            TlsOptions.class, "TLS options",
            ConnectionOptions.class, OTHER);
    private static final List<String> ORDER = List.of(OWN, "iWARP options", "Transport options", "TLS options", OTHER);

    private GroupedOptions() {}

    /** Gives the help of a command and of all its subcommands the same form. */
    public static void applyTo(CommandLine command) {
        command.getCommandSpec()
                .usageMessage()
                .abbreviateSynopsis(true)
                .autoWidth(true)
                .showDefaultValues(true)
                .sortOptions(false)
                .parameterListHeading("%nArguments:%n")
                .commandListHeading("%nCommands:%n");
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST_HEADING, help -> "");
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new GroupedOptions());
        command.getSubcommands().values().forEach(GroupedOptions::applyTo);
    }

    @Override
    public String render(Help help) {
        Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        List<OptionSpec> options = help.commandSpec().options().stream()
                .filter(option -> !option.hidden())
                .toList();
        boolean several = options.stream().anyMatch(option -> !groupOf(option).equals(OTHER));
        for (String group : ORDER) {
            groups.put(
                    group,
                    options.stream()
                            .filter(option -> groupOf(option).equals(group))
                            .toList());
        }
        StringBuilder text = new StringBuilder();
        groups.forEach((group, members) -> {
            if (!members.isEmpty()) {
                Help.Layout layout = help.createDefaultLayout(members, List.of(), help.colorScheme());
                layout.addAllOptions(members, help.parameterLabelRenderer());
                String heading = several ? group : OWN;
                text.append(help.createHeading("%n" + heading + ":%n")).append(layout);
            }
        });
        return text.toString();
    }

    private static String groupOf(OptionSpec option) {
        if (option.usageHelp() || option.versionHelp()) {
            return OTHER;
        }
        return option.userObject() instanceof Field field ? GROUPS.getOrDefault(field.getDeclaringClass(), OWN) : OWN;
    }
}
