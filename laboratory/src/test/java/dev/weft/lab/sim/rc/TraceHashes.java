package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.Simulation;

/** Runs seeds and prints their trace hashes, one a line: for comparing two JVMs. Arguments: first and last seed. */
final class TraceHashes {
  private TraceHashes() {}

  public static void main(String[] args) {
    Simulation<SimulationOptions> simulation = new RcWorkload().simulation();
    for (long seed = Long.parseLong(args[0]); seed <= Long.parseLong(args[1]); seed++) {
      System.out.println(line(simulation.run(seed, SimulationOptions.SWARM)));
    }
  }

  static String line(Result result) {
    return result.seed() + " " + Long.toHexString(result.traceHash()) + " " + result.events() + " " + result.virtualNs();
  }
}
