package dev.weft.lab;

import dev.weft.lab.repro.ReproCommand;
import dev.weft.lab.seed004.NetVmCommand;
import dev.weft.lab.sim.SimCommand;
import dev.weft.lab.trials.dsm.command.DsmCommands;
import dev.weft.lab.trials.mpi.command.MpiCommand;
import dev.weft.lab.trials.mpi.command.MpiPeerCommand;
import dev.weft.lab.trials.pvfs.PvfsBenchCommand;
import dev.weft.lab.trials.tripwire.TripwireCommand;
import dev.weft.lab.trials.tripwire.TripwirePeerCommand;
import dev.weft.service.CommandProvider;
import java.util.ArrayList;
import java.util.List;

/** The laboratory's subcommands of {@code weft}. */
public final class LaboratoryCommands implements CommandProvider {
  @Override
  public List<Object> commands() {
    List<Object> commands = new ArrayList<>(List.of(SimCommand.create(), new ReproCommand(), new NetVmCommand(), new LabPeerCommand(),
        new TripwireCommand(), new TripwirePeerCommand(), new MpiCommand(), new MpiPeerCommand()));
    commands.addAll(DsmCommands.hidden());
    return commands;
  }

  @Override
  public List<Object> commandsBelow(String command) {
    return switch (command) {
      case "dsm" -> DsmCommands.belowDsm();
      case "pvfs" -> List.of(new PvfsBenchCommand());
      default -> List.of();
    };
  }
}
