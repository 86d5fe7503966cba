package dev.weft.dsm.command;

import dev.weft.dsm.service.DsmDeployment;
import dev.weft.dsm.service.MemberDsm;
import dev.weft.service.Deployment;
import dev.weft.service.Part;
import dev.weft.service.Service;
import java.util.List;
import java.util.Optional;

/** Shared memory as a service: commands that start a fabric of their own, and nodes in the JVMs of {@code weft up}. */
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
    return List.of(new DsmCommand(), new DsmPagesCommand());
  }

  @Override
  public Optional<Deployment> deployment() {
    return Optional.of(new DsmDeployment());
  }

  @Override
  public Optional<Part> member() {
    return Optional.of(new MemberDsm());
  }
}
