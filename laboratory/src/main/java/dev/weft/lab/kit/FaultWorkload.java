package dev.weft.lab.kit;

import java.util.List;

/**
 * A workload with a run for each seed and with classes of faults.
 *
 * @param <O> type of the options
 */
public abstract class FaultWorkload<O extends FaultOptions<O>> implements Workload<O> {
  private final String name;
  private final String title;
  private final O swarm;
  private final List<Parameter> parameters;
  private final SeededSimulation.SetUp<O> run;
  private final List<PlantedBug> bugs;

  /**
   * @param swarm options with which the seed decides everything; all their faults are possible
   * @param run sets up the run of a seed
   * @param bugs bugs that the workload must find
   */
  protected FaultWorkload(String name, String title, O swarm, List<Parameter> parameters, SeededSimulation.SetUp<O> run, List<PlantedBug> bugs) {
    this.name = name;
    this.title = title;
    this.swarm = swarm;
    this.parameters = parameters;
    this.run = run;
    this.bugs = bugs;
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
  public final List<Parameter> parameters() {
    return parameters;
  }

  @Override
  public final O options(Given given) {
    return swarm.parsed(given);
  }

  @Override
  public final Simulation<O> simulation() {
    return new SeededSimulation<>(run);
  }

  @Override
  public final List<String> faults() {
    return swarm.faults().stream().map(FaultClass::name).toList();
  }

  @Override
  public final List<PlantedBug> plantedBugs() {
    return bugs;
  }
}
