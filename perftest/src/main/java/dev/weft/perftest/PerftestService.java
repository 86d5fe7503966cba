package dev.weft.perftest;

import dev.weft.service.Service;
import java.util.List;

/** Measurements of the verbs as a service: it has commands only, which bring a fabric of their own. */
public final class PerftestService implements Service {
  @Override
  public String name() {
    return "perftest";
  }

  @Override
  public String version() {
    return "1";
  }

  @Override
  public List<Object> commands() {
    return List.of(new PerftestCommand(), new PerftestPeerCommand());
  }

  @Override
  public List<List<String>> training() {
    return List.of(List.of("perftest", "write-lat", "-s", "8", "-n", "1000"));
  }
}
