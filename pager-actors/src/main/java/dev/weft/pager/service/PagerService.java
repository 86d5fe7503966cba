package dev.weft.pager.service;

import dev.weft.service.Deployment;
import dev.weft.service.Part;
import dev.weft.service.Service;
import java.util.List;
import java.util.Optional;

/** The pager as a service: memory servers in the JVMs of a fabric, and a block device made of their memory in the first one. */
public final class PagerService implements Service {
  /** The name of the service. */
  static final String NAME = "pager";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return "1";
  }

  /** The pager needs NICs, because Tripwires may notify it of messages. */
  @Override
  public List<String> needs() {
    return List.of(MemoryServers.NIC_SERVICE);
  }

  @Override
  public List<Object> commands() {
    return List.of(new PagerCommand());
  }

  @Override
  public Optional<Deployment> deployment() {
    return Optional.of(new PagerDeployment());
  }

  @Override
  public Optional<Part> member() {
    return Optional.of(new MemberMemory());
  }

  @Override
  public Optional<Part> joined() {
    return Optional.of(new JoinedMemory());
  }
}
