package dev.weft.perftest;

import dev.weft.service.Service;
import java.util.List;

/** The service of the verbs' measurements. It only has commands, which start their own fabric. */
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
