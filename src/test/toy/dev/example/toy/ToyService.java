package dev.example.toy;

import dev.weft.service.Deployment;
import dev.weft.service.Part;
import dev.weft.service.Service;
import java.util.List;
import java.util.Optional;

/** The smallest service that has one of everything: a role, a setting, a command, a table, an alarm. docs/guides/own-service.md explains it. */
public final class ToyService implements Service {
  static final String NAME = "toy";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return "7";
  }

  @Override
  public List<Object> commands() {
    return List.of(new ToyCommand());
  }

  @Override
  public Optional<Deployment> deployment() {
    return Optional.of(new ToyDeployment());
  }

  @Override
  public Optional<Part> member() {
    return Optional.of(new ToyMember());
  }
}
