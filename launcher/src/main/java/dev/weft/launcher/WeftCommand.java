package dev.weft.launcher;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.KnownSettings;
import dev.weft.launcher.capture.CaptureCommand;
import dev.weft.launcher.cluster.DownCommand;
import dev.weft.launcher.cluster.JoinCommand;
import dev.weft.launcher.cluster.MemberCommand;
import dev.weft.launcher.cluster.StatusCommand;
import dev.weft.launcher.cluster.TrainCommand;
import dev.weft.launcher.cluster.UpCommand;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.Services;
import java.io.PrintWriter;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The root of the command tree: the launcher's own subcommands, and those that jars of the class path bring. */
@Command(
    name = "weft",
    description = "A software RDMA fabric of actors, and the services that run on it.",
    subcommands = {UpCommand.class, JoinCommand.class, StatusCommand.class, DownCommand.class, MemberCommand.class, CaptureCommand.class,
        TrainCommand.class},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "1:the operation failed; standard error says why", "2:the command line was wrong",
        "130:interrupted by Ctrl-C"},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft up                               a block device made of memory, for any NBD client",
        "  ./weft perftest write-lat -s 8          latency of 8-byte RDMA Writes",
        "  ./weft tripwire rtt --jvms 2            remote write to callback",
        "  ./weft capture w.pcapng -- perftest write-bw -n 10",
        "  ./weft sim --seeds 1..200               the transport under faults, in virtual time",
        "  ./weft repro testswap                   numbers of a paper beside ours, in virtual time",
        "  ./weft help perftest                    all options of a subcommand"})
public final class WeftCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** The parser with all subcommands, and with errors as one line and an exit code. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new WeftCommand());
    Services.commands().forEach(line::addSubcommand);
    configured(line.addSubcommand(new HelpCommand()));
    line.getSubcommands().values().stream().distinct().forEach(WeftCommand::compose);
    // What follows the file is another command's, options and all.
    line.getSubcommands().get("capture").setStopAtPositional(true);
    return line;
  }

  /** Gives a command the manners of all others: help, version, one-line errors; its output goes where {@code parent}'s goes. */
  public static CommandLine configured(CommandLine line, CommandLine parent) {
    return configured(line).setOut(parent.getOut()).setErr(parent.getErr());
  }

  private static CommandLine configured(CommandLine line) {
    mixStandardHelp(line);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setParameterExceptionHandler(WeftCommand::onWrongUsage);
    line.setExecutionExceptionHandler(WeftCommand::onFailure);
    line.setExecutionStrategy(WeftCommand::execute);
    return line;
  }

  private static void compose(CommandLine line) {
    if (line.getCommand() instanceof Composed composed) {
      composed.compose(line.getCommandSpec());
    }
  }

  private static void mixStandardHelp(CommandLine line) {
    line.getCommandSpec().mixinStandardHelpOptions(true);
    line.getCommandSpec().versionProvider(new Version());
    line.getSubcommands().values().stream().distinct().filter(sub -> !(sub.getCommand() instanceof HelpCommand))
        .forEach(WeftCommand::mixStandardHelp);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand: "
        + spec.subcommands().values().stream().filter(sub -> !sub.getCommandSpec().usageMessage().hidden())
            .map(CommandLine::getCommandName).collect(Collectors.joining(", ")));
  }

  private static int onWrongUsage(ParameterException wrong, String[] args) {
    CommandLine line = wrong.getCommandLine();
    PrintWriter err = line.getErr();
    err.println("weft: " + oneLine(wrong.getMessage()) + " (see '" + line.getCommandSpec().qualifiedName() + " --help')");
    err.flush();
    return ExitCode.USAGE;
  }

  /** Runs the subcommand; a setting may be found wrong while a class is initialized, which is an error and no exception. */
  private static int execute(ParseResult parsed) {
    checkSettings(parsed);
    try {
      return new CommandLine.RunLast().execute(parsed);
    } catch (ExceptionInInitializerError e) {
      if (WrongSetting.messageOf(e) == null) {
        throw e;
      }
      throw new ExecutionException(parsed.commandSpec().commandLine(), e.toString(), new CommandFailure(WrongSetting.messageOf(e), e));
    }
  }

  /** Settings that nobody reads end every command that would run with them. */
  private static void checkSettings(ParseResult parsed) {
    for (ParseResult part = parsed; part != null; part = part.subcommand()) {
      if (part.isUsageHelpRequested() || part.isVersionHelpRequested()) {
        return;
      }
    }
    Config config;
    try {
      config = ConfigFactory.load();
    } catch (ConfigException unreadable) {
      return; // The command that reads it knows better what it was for.
    }
    try {
      KnownSettings.check(config);
    } catch (IllegalArgumentException e) {
      throw new ExecutionException(parsed.commandSpec().commandLine(), e.toString(), new CommandFailure(e.getMessage(), e));
    }
  }

  private static int onFailure(Exception failure, CommandLine line, ParseResult parsed) {
    PrintWriter err = line.getErr();
    String wrongSetting = WrongSetting.messageOf(failure);
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    err.println("weft: " + oneLine(wrongSetting == null || message.contains(wrongSetting) ? message : wrongSetting));
    if (!(failure instanceof CommandFailure) && wrongSetting == null) {
      failure.printStackTrace(err);
    }
    err.flush();
    return ExitCode.FAILURE;
  }

  private static String oneLine(String message) {
    return message.strip().replaceAll("\\s*\\R\\s*", "; ");
  }
}
