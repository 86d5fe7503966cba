package dev.example.toy;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.link.LinkCounts;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.Simulation;
import dev.weft.lab.kit.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code weft sim --workload toy}: toys are wound up, and each has to go as many steps as turns. */
public final class ToyWorkload implements Workload<ToyOptions> {
  @Override
  public String name() {
    return ToyService.NAME;
  }

  @Override
  public String title() {
    return "a toy that is wound up";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(Parameter.of("--winds", "N", "most requests"), Parameter.of("--broken", "true", "plants the bug"));
  }

  @Override
  public ToyOptions options(Given given) {
    return new ToyOptions(given.integer("--winds", ToyOptions.WINDS), Boolean.TRUE.equals(given.truth("--broken")));
  }

  @Override
  public Simulation<ToyOptions> simulation() {
    return new Simulation<>() {
      @Override
      public Result run(long seed, ToyOptions options) {
        return ToyWorkload.run(seed, options);
      }

      @Override
      public String chart(long seed, ToyOptions options, int lines) {
        return ToyWorkload.run(seed, options).shape() + "\n";
      }
    };
  }

  private static Result run(long seed, ToyOptions options) {
    Draw draw = new Draw(seed);
    List<String> violations = new ArrayList<>();
    try (VirtualSystem system = VirtualSystem.create(seed)) {
      ActorRef<ToyActor.Command> toy = system.spawn(ToyActor.create(), "toy");
      int winds = Math.min(options.windsMax(), draw.between(1, ToyOptions.WINDS));
      int[] last = new int[1];
      for (int i = 0; i < winds && violations.isEmpty(); i++) {
        int turns = draw.between(1, 8);
        toy.tell(new ToyActor.Wind(turns, gone -> last[0] = options.isBroken() && gone > 6 ? gone - 1 : gone));
        system.runUntilIdle(100);
        if (last[0] != turns) {
          violations.add("wound up by " + turns + " turns it went " + last[0] + " steps");
        }
      }
      return new Result(seed, system.traceHash(), system.nowNs(), system.eventsRun(), new LinkCounts(0, 0, 0, 0, 0, 0, 0, 0), Map.of(),
          Map.of("WIND", winds), Map.of(), 0, winds + " winds", violations, violations.isEmpty() ? -1 : system.nowNs());
    }
  }

  @Override
  public List<String> operations() {
    return List.of("WIND");
  }

  @Override
  public List<String> faults() {
    return List.of();
  }

  @Override
  public List<String> checkers() {
    return List.of("as many steps as turns");
  }

  @Override
  public List<PlantedBug> plantedBugs() {
    return List.of();
  }

  @Override
  public Map<String, Long> marks() {
    return Map.of();
  }
}
