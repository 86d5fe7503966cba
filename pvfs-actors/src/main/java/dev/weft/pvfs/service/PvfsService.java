package dev.weft.pvfs.service;

import dev.weft.service.Deployment;
import dev.weft.service.Part;
import dev.weft.service.Service;
import java.util.List;
import java.util.Optional;

/** The parallel file system as a service: a manager in the first JVM of a fabric, I/O daemons in the others, and commands for its contents. */
public final class PvfsService implements Service {
  static final String NAME = "pvfs";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return "1";
  }

  @Override
  public List<Object> commands() {
    return List.of(new PvfsCommand());
  }

  @Override
  public Optional<Deployment> deployment() {
    return Optional.of(new PvfsDeployment());
  }

  @Override
  public Optional<Part> member() {
    return Optional.of(new MemberDaemons());
  }
}
