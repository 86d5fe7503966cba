package dev.weft.lab.repro;

import java.util.List;

/** An experiment with fixed rows. */
public abstract class NamedExperiment implements Experiment {
  private final String name;
  private final String title;
  private final String defaultProfile;
  private final List<String> rows;

  protected NamedExperiment(String name, String title, String defaultProfile, List<String> rows) {
    this.name = name;
    this.title = title;
    this.defaultProfile = defaultProfile;
    this.rows = rows;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String title() {
    return title;
  }

  @Override
  public final String defaultProfile() {
    return defaultProfile;
  }

  @Override
  public List<String> rows() {
    return rows;
  }
}
