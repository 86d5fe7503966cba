package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import akka.actor.ActorSystem;
import akka.actor.Address;
import akka.actor.ExtendedActorSystem;
import akka.cluster.Cluster;
import akka.cluster.MemberStatus;
import akka.remote.RARP;
import akka.remote.testkit.Blackhole$;
import akka.remote.testkit.Direction;
import akka.remote.testkit.SetThrottle;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.Waits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Actor systems of this JVM, with the ports that the kernel gives, between which messages stop to pass. */
@Tag("slow")
@Tag("actor")
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class SurvivorsTest {
  private final List<ActorSystem> systems = new ArrayList<>();

  @AfterEach
  void end() {
    systems.forEach(ActorSystem::terminate);
    systems.forEach(system -> system.getWhenTerminated().toCompletableFuture().join());
  }

  private static Config config(String host, List<String> seeds) {
    return ConfigFactory.parseString("""
        akka.remote.artery { transport = tcp, advanced.test-mode = on }
        akka.cluster.split-brain-resolver { stable-after = 3s, down-all-when-unstable = 60s } # Not where this JVM has a pause.""")
        .withFallback(ClusterConfig.forJvm(host, 0, seeds, Path.of("/dev/shm/none"), List.of("fabric"))).resolve();
  }

  private static Address address(ActorSystem system) {
    return ((ExtendedActorSystem) system).provider().getDefaultAddress();
  }

  private static long up(ActorSystem system) {
    return StreamSupport.stream(Cluster.get(system).state().getMembers().spliterator(), false)
        .filter(member -> member.status().equals(MemberStatus.up())).count();
  }

  private void await(String what, Waits.Condition condition) {
    Waits.until(what, condition, () -> systems.stream().map(system -> Cluster.get(system).state()).toList());
  }

  /** One after another, so that the first is the oldest. */
  private void start(List<String> hosts) throws InterruptedException {
    for (String host : hosts) {
      List<String> seeds = systems.isEmpty() ? List.of() : List.of(address(systems.getFirst()).hostPort().replaceFirst(".*@", ""));
      ActorSystem system = ActorSystem.create(ClusterConfig.SYSTEM_NAME, config(host, seeds));
      systems.add(system);
      if (systems.size() == 1) {
        Cluster.get(system).join(address(system));
      }
      await(systems.size() + " to be up", () -> systems.stream().allMatch(one -> up(one) == systems.size()));
    }
  }

  private static void cut(List<ActorSystem> here, List<ActorSystem> there) {
    for (ActorSystem one : here) {
      for (ActorSystem other : there) {
        silence(one, address(other));
        silence(other, address(one));
      }
    }
  }

  private static void silence(ActorSystem system, Address other) {
    ((RARP) RARP.get(system)).provider().transport()
        .managementCommand(new SetThrottle(other, Direction.Both$.MODULE$, Blackhole$.MODULE$));
  }

  private static boolean hasEnded(List<ActorSystem> side) {
    return side.stream().allMatch(system -> system.getWhenTerminated().toCompletableFuture().isDone());
  }

  private static boolean goesOn(List<ActorSystem> side) {
    return side.stream().allMatch(system -> !system.getWhenTerminated().toCompletableFuture().isDone() && up(system) == side.size());
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "3, 1", "4, 2"})
  void shouldGoOnOnExactlyOneSideOfAHost(int all, int cutOff) throws InterruptedException {
    start(Collections.nCopies(all, "127.0.0.1"));
    List<ActorSystem> here = systems.subList(0, cutOff);
    List<ActorSystem> there = systems.subList(cutOff, all);
    cut(here, there);
    await("one side to go on and the other to end", () -> hasEnded(here) && goesOn(there) || hasEnded(there) && goesOn(here));
    assertFalse(hasEnded(here) && hasEnded(there));
  }

  /** The first is the oldest, whatever its port. */
  @ParameterizedTest
  @CsvSource({"1, 1, true", "1, 2, false", "2, 1, true"})
  void shouldGoOnWhereMoreHostsAreOrTheOldest(int onFirst, int onSecond, boolean firstGoesOn) throws InterruptedException {
    List<String> hosts = new ArrayList<>(Collections.nCopies(onFirst, "127.0.0.1"));
    hosts.addAll(Collections.nCopies(onSecond, "127.0.0.2"));
    start(hosts);
    List<ActorSystem> first = systems.subList(0, onFirst);
    List<ActorSystem> second = systems.subList(onFirst, systems.size());
    cut(first, second);
    List<ActorSystem> winner = firstGoesOn ? first : second;
    List<ActorSystem> loser = firstGoesOn ? second : first;
    await("one side to end", () -> hasEnded(first) || hasEnded(second));
    assertEquals(List.of(false, true), List.of(hasEnded(winner), hasEnded(loser)));
    await("the other to go on", () -> goesOn(winner));
  }
}
