package dev.weft.lab.trials.dsm.command;

import dev.weft.lab.trials.dsm.apps.Application;
import dev.weft.lab.trials.dsm.apps.Applications;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weft dsm list}. */
@Command(name = "list", description = "Lists the applications and their sizes.")
public final class DsmListCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    for (Application application : Applications.all()) {
      spec.commandLine().getOut().println(String.format(Locale.ROOT, "%-8s %s: %s", application.name(), application.title(),
          String.join(", ", application.sizes())));
    }
    spec.commandLine().getOut().flush();
  }
}
