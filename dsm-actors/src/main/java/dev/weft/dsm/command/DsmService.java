package dev.weft.dsm.command;

import dev.weft.service.Service;
import java.util.List;

/** Shared memory as a service: commands that bring a fabric of their own. */
public final class DsmService implements Service {
  @Override
  public String name() {
    return "dsm";
  }

  @Override
  public String version() {
    return "1";
  }

  @Override
  public List<Object> commands() {
    return List.of(new DsmCommand(), new DsmPeerCommand());
  }
}
