package dev.example.toy;

import dev.weft.service.process.ControlSocket;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weft toy}: winds the toys of the running fabric up. */
@Command(name = "toy", description = "Wind the toys of the running fabric up.")
final class ToyCommand implements Callable<Integer> {
  static final String WIND = "wind";

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    ControlSocket.askUp(ToyService.NAME, List.of(WIND)).forEach(spec.commandLine().getOut()::println);
    spec.commandLine().getOut().flush();
    return 0;
  }
}
