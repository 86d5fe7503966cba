package dev.weft.lab;

import dev.weft.lab.repro.ReproCommand;
import dev.weft.lab.seed004.NetVmCommand;
import dev.weft.lab.sim.SimCommand;
import dev.weft.service.CommandProvider;
import java.util.List;

/** The laboratory's subcommands of {@code weft}. */
public final class LaboratoryCommands implements CommandProvider {
  @Override
  public List<Object> commands() {
    return List.of(SimCommand.create(), new ReproCommand(), new NetVmCommand(), new LabPeerCommand());
  }
}
