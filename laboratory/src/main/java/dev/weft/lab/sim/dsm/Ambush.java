package dev.weft.lab.sim.dsm;

import dev.weft.dsm.access.Rights;
import dev.weft.fabric.time.AppThreads;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.lab.kit.Draw;
import java.util.ArrayList;
import java.util.List;

/**
 * A node dies while it waits for a copy of a minipage that a slow node may write. A third node is the home, and another node wants a copy, too. The
 * home learns of the death before the owner handles the order for the dead node, and must not regard the owner as a reader.
 */
final class Ambush {
  /** Starts a thread of a node with one step. */
  interface Starter {
    void start(DsmHost host, Step step);
  }

  private record Place(int array, int index, int minipage) {}

  private static final int NODES_MIN = 3;
  private static final long PATIENCE_NS = 1_000_000;

  private final VirtualSystem system;
  private final AppThreads threads;
  private final DsmScenario scenario;
  private final List<DsmHost> hosts;
  private final Starter starter;
  private final Draw draw;

  Ambush(Draw draw, VirtualSystem system, AppThreads threads, DsmScenario scenario, List<DsmHost> hosts, Starter starter) {
    this.draw = draw;
    this.system = system;
    this.threads = threads;
    this.scenario = scenario;
    this.hosts = hosts;
    this.starter = starter;
  }

  /**
   * Runs until the request of {@code dying} is in flight; does nothing if there are too few nodes. {@code toldNs} after the death the others learn of
   * it.
   */
  void lay(DsmHost dying, long toldNs) {
    if (hosts.size() < NODES_MIN || dying.mustLeave || !system.runUntil(() -> isReady(dying), PATIENCE_NS) || places(dying).isEmpty()) {
      return;
    }
    Place place = pick(places(dying));
    List<DsmHost> others = hosts.stream().filter(host -> host != dying && isReady(host)).toList();
    List<DsmHost> owners = others.stream().filter(host -> host.space.node() != homeOf(host, place)).toList();
    if (others.size() < 2 || owners.isEmpty()) {
      return;
    }
    DsmHost owner = pick(owners);
    DsmHost reader = pick(others.stream().filter(host -> host != owner).toList());
    starter.start(owner, step(OpKind.GET_AND_ADD, place, 0));
    String array = scenario.arrays().get(place.array()).name();
    if (system.runUntil(() -> owner.space.rights(array, place.minipage()) == Rights.WRITE, PATIENCE_NS)) {
      long travelNs = (long) draw.logarithmic(2_000, 50_000);
      long slowNs = travelNs + toldNs + (long) draw.logarithmic(20_000, 200_000);
      system.slow(owner.rolePath(), slowNs);
      starter.start(dying, step(OpKind.READ, place, 0));
      starter.start(reader, step(OpKind.READ, place, draw.between(100, slowNs / 2)));
      threads.start("end of ambush", me -> {
        me.compute(2 * slowNs);
        system.resume(owner.rolePath());
      }).asDaemon();
      system.runFor(travelNs);
    }
  }

  /** Words whose home is another node. */
  private List<Place> places(DsmHost dying) {
    List<Place> places = new ArrayList<>();
    for (int array = 0; array < scenario.blocksAt(); array++) {
      for (int index : scenario.arrays().get(array).hot()) {
        Place place = new Place(array, index, index / scenario.arrays().get(array).perMinipage());
        if (homeOf(dying, place) != dying.space.node()) {
          places.add(place);
        }
      }
    }
    return places;
  }

  private int homeOf(DsmHost asked, Place place) {
    return asked.space.homeOf(scenario.arrays().get(place.array()).name(), place.minipage());
  }

  private static boolean isReady(DsmHost host) {
    return !host.isDead && !host.mustLeave && host.isSettled && host.barrier != null;
  }

  private static Step step(OpKind kind, Place place, long pauseNs) {
    return new Step(kind, place.array(), place.index(), 1, 0, false, pauseNs);
  }

  private <T> T pick(List<T> some) {
    return some.get(draw.between(0, some.size() - 1));
  }
}
