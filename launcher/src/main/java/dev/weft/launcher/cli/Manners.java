package dev.weft.launcher.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.KnownSettings;
import dev.weft.fabric.files.ByteText;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import java.io.PrintWriter;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Configures what all commands have in common: help, version, the check of settings, and errors as one line with an exit code. */
public final class Manners {
  private Manners() {}

  /** Configures a command like all others: help, version, one-line errors. Its output and errors go where {@code parent}'s go. */
  public static CommandLine configured(CommandLine line, CommandLine parent) {
    return configured(line).setOut(parent.getOut()).setErr(parent.getErr());
  }

  /**
   * Does the same for the root of a command line.
   *
   * @param problem why only the commands in {@code exempt} can run; null if all can
   * @param exempt names of the commands that can always run
   */
  public static CommandLine configured(CommandLine root, String problem, Set<String> exempt) {
    configured(root);
    if (problem == null) {
      return root;
    }
    root.setExecutionStrategy(parsed -> {
      ParseResult command = parsed.subcommand();
      return command == null || exempt.contains(command.commandSpec().name()) ? execute(parsed) : refuse(root, problem);
    });
    root.setParameterExceptionHandler((wrong, args) -> // An option may be missing because its service cannot be used.
        exempt.contains(wrong.getCommandLine().getCommandName()) ? onWrongUsage(wrong, args) : refuse(root, problem));
    return root;
  }

  private static int refuse(CommandLine root, String problem) {
    root.getErr().println("weft: " + oneLine(problem));
    root.getErr().flush();
    return ExitCode.FAILURE;
  }

  private static CommandLine configured(CommandLine line) {
    mixStandardHelp(line);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setExpandAtFiles(false); // An argument may begin with '@', such as the name of a file.
    line.setParameterExceptionHandler(Manners::onWrongUsage);
    line.setExecutionExceptionHandler(Manners::onFailure);
    line.setExecutionStrategy(Manners::execute);
    return line;
  }

  private static void mixStandardHelp(CommandLine line) {
    line.getCommandSpec().mixinStandardHelpOptions(true);
    line.getCommandSpec().versionProvider(new Version());
    line.getSubcommands().values().stream().distinct().filter(sub -> !(sub.getCommand() instanceof HelpCommand))
        .forEach(Manners::mixStandardHelp);
  }

  private static int onWrongUsage(ParameterException wrong, String[] args) {
    CommandLine line = wrong.getCommandLine();
    PrintWriter err = line.getErr();
    err.println("weft: " + oneLine(wrong.getMessage()) + " (see '" + line.getCommandSpec().qualifiedName() + " --help')");
    err.flush();
    return ExitCode.USAGE;
  }

  /** Runs the subcommand. A wrong setting may only be found while a class is initialized, which throws an Error, not an Exception. */
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

  /** Fails if there are unknown settings, except if only help or the version is requested. */
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
      return; // The command that reads the file gives a better message.
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
    return ByteText.printable(message.strip().replaceAll("\\s*\\R\\s*", "; "));
  }
}
