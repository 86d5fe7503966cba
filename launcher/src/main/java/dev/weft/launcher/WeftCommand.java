package dev.weft.launcher;

import dev.weft.launcher.capture.CaptureCommand;
import dev.weft.launcher.cli.Composed;
import dev.weft.launcher.cli.Manners;
import dev.weft.launcher.cli.ServiceCommands;
import dev.weft.launcher.cluster.DownCommand;
import dev.weft.launcher.cluster.JoinCommand;
import dev.weft.launcher.cluster.MemberCommand;
import dev.weft.launcher.cluster.StatusCommand;
import dev.weft.launcher.cluster.TrainCommand;
import dev.weft.launcher.cluster.UpCommand;
import dev.weft.launcher.reference.ReferenceCommand;
import dev.weft.service.Services;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of the command tree: the launcher's own subcommands, and those of services on the class path. */
@Command(
    name = "weft",
    description = "A software RDMA fabric of actors, and the services that run on it.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "1:the operation failed; standard error says why", "2:the command line was wrong",
        "130:interrupted by Ctrl-C"},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft up                               a block device made of memory, for any NBD client",
        "  ./weft perftest write-lat -s 8          latency of 8-byte RDMA Writes",
        "  ./weft tripwire rtt --jvms 2            remote write to callback",
        "  ./weft capture w.pcapng -- perftest write-bw -n 10",
        "  ./weft sim --seeds 1..200               pager clusters under faults, in virtual time",
        "  ./weft repro testswap                   numbers of a paper beside ours, in virtual time",
        "  ./weft help perftest                    all options of a subcommand"})
public final class WeftCommand implements Runnable {
  /** Commands that work even if a service on the class path cannot be used. */
  private static final Set<String> WITHOUT_SERVICES = Set.of("status", "down", "help");
  /** Commands that need all other commands. */
  private static final Set<String> OF_ALL = Set.of("help", "reference");
  private static final List<Class<?>> OWN = List.of(UpCommand.class, JoinCommand.class, StatusCommand.class, DownCommand.class, MemberCommand.class,
      CaptureCommand.class, TrainCommand.class, ReferenceCommand.class);
  private static final int CAUSES_MAX = 16;

  @Spec private CommandSpec spec;

  /** Returns the parser with all subcommands. It reports an error in one line and with an exit code. */
  public static CommandLine commandLine() {
    return commandLine(null);
  }

  /**
   * Returns the parser for these arguments. If they begin with the name of a subcommand, it has only that subcommand, because reading the options of all
   * takes a third of the start of a JVM.
   */
  static CommandLine commandLineFor(String... args) {
    boolean needsAll = args.length == 0 || args[0].startsWith("-") || OF_ALL.contains(args[0]);
    CommandLine one = needsAll ? null : commandLine(args[0]);
    return one == null || one.getSubcommands().isEmpty() ? commandLine() : one;
  }

  /** The parser. One with a single subcommand can also run others, because that subcommand may need them. */
  private static final class Root extends CommandLine {
    private final String only;

    Root(String only) {
      super(new WeftCommand());
      this.only = only;
    }

    @Override
    public int execute(String... args) {
      boolean isMine = only == null || args.length > 0 && args[0].equals(only);
      return isMine ? super.execute(args) : commandLineFor(args).setOut(getOut()).setErr(getErr()).execute(args);
    }
  }

  /** @param only name of the single subcommand of the parser; null for all */
  private static CommandLine commandLine(String only) {
    CommandLine line = new Root(only);
    Set<String> names = new HashSet<>();
    OWN.forEach(command -> add(command, line, names, only));
    String problem = addServicesTo(line, names, only);
    if (only == null) {
      line.addSubcommand(new HelpCommand());
    }
    Manners.configured(line, problem, WITHOUT_SERVICES);
    CommandLine capture = line.getSubcommands().get("capture");
    if (capture != null) { // All arguments after the file belong to another command, also options.
      capture.setStopAtPositional(true);
    }
    return line;
  }

  private static void add(Object command, CommandLine line, Set<String> names, String only) {
    Class<?> type = command instanceof Class<?> itself ? itself : command.getClass();
    Command named = type.getAnnotation(Command.class);
    String name = named == null ? new CommandLine(command).getCommandName() : named.name();
    if (!names.add(name)) {
      throw new IllegalStateException("the subcommand " + name + " of " + type.getName()
          + " is defined twice; remove one of the two jars from the class path");
    }
    if (only == null || name.equals(only)) {
      line.addSubcommand(name, command);
    }
  }

  /**
   * Adds the subcommands of the services on the class path.
   *
   * @return why that is not possible; null if it was done
   */
  private static String addServicesTo(CommandLine line, Set<String> names, String only) {
    try {
      Services.commands().forEach(command -> add(command, line, names, only));
      line.getSubcommands().values().stream().distinct().forEach(WeftCommand::compose);
      return null;
    } catch (RuntimeException | ServiceConfigurationError | LinkageError e) {
      return "a service of the class path cannot be used: " + cause(e).getMessage();
    }
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES_MAX && cause.getCause() != null; i++) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static void compose(CommandLine line) {
    ServiceCommands.completed(line);
    if (line.getCommand() instanceof Composed composed) {
      composed.compose(line.getCommandSpec());
    }
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand: "
        + spec.subcommands().values().stream().filter(sub -> !sub.getCommandSpec().usageMessage().hidden())
            .map(CommandLine::getCommandName).collect(Collectors.joining(", ")));
  }
}
