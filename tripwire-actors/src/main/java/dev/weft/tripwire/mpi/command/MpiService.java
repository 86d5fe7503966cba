package dev.weft.tripwire.mpi.command;

import dev.weft.service.Service;
import java.util.List;

/** Message passing as a service. It has only commands; a job starts a fabric of its own. */
public final class MpiService implements Service {
  @Override
  public String name() {
    return "mpi";
  }

  @Override
  public String version() {
    return "1";
  }

  @Override
  public List<Object> commands() {
    return List.of(new MpiCommand(), new MpiPeerCommand());
  }
}
