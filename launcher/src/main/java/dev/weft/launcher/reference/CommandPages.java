package dev.weft.launcher.reference;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;

/** The help of all commands, as one Markdown page, and as a man page for each command. */
final class CommandPages {
  private static final int WIDTH = 120;
  /** Section of the man pages of commands. */
  private static final int SECTION = 1;

  private final List<CommandLine> commands = new ArrayList<>();

  /** @param root root of the command tree; this changes the width of its help texts */
  CommandPages(CommandLine root) {
    root.setUsageHelpAutoWidth(false);
    root.setUsageHelpWidth(WIDTH);
    collect(root);
  }

  private void collect(CommandLine command) {
    commands.add(command);
    command.getSubcommands().values().stream().distinct()
        .filter(sub -> !(sub.getCommand() instanceof HelpCommand) && !sub.getCommandSpec().usageMessage().hidden())
        .sorted(Comparator.comparing(CommandLine::getCommandName)).forEach(this::collect);
  }

  private static String nameOf(CommandLine command) {
    return command.getCommandSpec().qualifiedName();
  }

  private static String pageOf(CommandLine command) {
    return nameOf(command).replace(' ', '-');
  }

  String markdown() {
    StringBuilder page = new StringBuilder("# Commands\n\nThe help of every command, as `weft help COMMAND` prints it.\n");
    commands.forEach(command -> page.append("\n## ").append(nameOf(command)).append("\n\n```\n").append(command.getUsageMessage(Ansi.OFF))
        .append("```\n"));
    return page.toString();
  }

  /** Returns the man pages by file name, such as {@code weft-pvfs-mount.1}. */
  Map<String, String> manuals() {
    Map<String, String> manuals = new LinkedHashMap<>();
    commands.forEach(command -> manuals.put(pageOf(command) + "." + SECTION, manual(command)));
    return manuals;
  }

  private static String manual(CommandLine command) {
    String name = pageOf(command);
    String[] description = command.getCommandSpec().usageMessage().description();
    String first = description.length == 0 ? "a command of Weft" : String.format(description[0]);
    return ".TH " + name.toUpperCase(Locale.ROOT) + " " + SECTION + " \"\" Weft\n.SH NAME\n" + escaped(name) + " \\- " + escaped(first)
        + "\n.SH SYNOPSIS AND OPTIONS\n.nf\n" + escaped(command.getUsageMessage(Ansi.OFF)) + ".fi\n";
  }

  /** Escapes the characters that have a meaning in troff: a backslash, a hyphen, and a dot or apostrophe at the beginning of a line. */
  private static String escaped(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^(?=[.'])", "\\\\&");
  }
}
