package dev.weft.fabric.time;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.Adapter;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.KnownSettings;
import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.function.BooleanSupplier;
import java.util.jar.JarFile;
import java.util.random.RandomGenerator;

/**
 * An actor system in deterministic virtual time. Same seed, same actors, same calls: same trace hash, in any JVM. The
 * thread that created it runs it; no other thread may reach its actors. Actors made for {@code weft.hardware-dispatcher}
 * run unchanged.
 *
 * <p>Every {@code run} method throws {@link IllegalStateException} when another thread enqueued something, or when an
 * actor threw and was not supervised; the message names the seed.
 */
public final class VirtualSystem implements AutoCloseable {
  private static final long CLOSE_MAX_EVENTS = 10_000_000;
  private static final Config BASE =
      ConfigFactory.parseResources(VirtualSystem.class, "virtual.conf")
          .withFallback(ConfigFactory.defaultReferenceUnresolved())
          .resolve();

  /** Has no manifests: each actor system would read those of all jars, to compare the versions of Akka's. */
  private static final ClassLoader LOADER = new ClassLoader(VirtualSystem.class.getClassLoader()) {
    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      return name.equals(JarFile.MANIFEST_NAME) ? Collections.emptyEnumeration() : super.getResources(name);
    }
  };

  private final akka.actor.ActorSystem classic;
  private final ActorSystem<Void> system;
  private final VirtualTime time;
  private boolean closed;

  private VirtualSystem(Config config) {
    classic = akka.actor.ActorSystem.create("virtual", config, LOADER);
    time = ((VirtualScheduler) classic.scheduler()).time();
    system = Adapter.toTyped(classic);
    time.runReady(CLOSE_MAX_EVENTS);
  }

  /** A system for one seed. */
  public static VirtualSystem create(long seed) {
    return create(seed, ConfigFactory.empty());
  }

  /**
   * A system for one seed with settings laid over the modules' {@code reference.conf}.
   *
   * @throws IllegalArgumentException if a setting is unknown or out of range; the message says which
   */
  public static VirtualSystem create(long seed, Config settings) {
    KnownSettings.check(settings);
    Config base = settings.isEmpty() ? BASE : settings.withFallback(BASE).resolve();
    return new VirtualSystem(base.withValue("weft.virtual-time.seed", ConfigValueFactory.fromAnyRef(seed)));
  }

  /** A system with a first actor called {@code root}. */
  public static <T> VirtualSystem create(long seed, Behavior<T> root) {
    VirtualSystem virtual = create(seed);
    virtual.spawn(root, "root");
    return virtual;
  }

  /** Starts an actor under {@code /user}. Its first step runs with the next {@code run} call. */
  public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
    return Adapter.spawn(classic, behavior, name);
  }

  /** Starts an actor under {@code /user} with properties, for example a dispatcher. */
  public <T> ActorRef<T> spawn(Behavior<T> behavior, String name, Props props) {
    return Adapter.spawn(classic, behavior, name, props);
  }

  /** The system, for code that wants one. */
  public ActorSystem<Void> system() {
    return system;
  }

  /** Clock, timers and the main random stream. */
  public FabricContext context() {
    return new FabricContext(time, time, time.random());
  }

  /** The virtual clock; it starts at 0. */
  public Clock clock() {
    return time;
  }

  /** Alarms on the one heap. */
  public Timers timers() {
    return time;
  }

  /** The main random stream: keys, first PSNs, workload. */
  public RandomGenerator random() {
    return time.random();
  }

  /** The stream for faults, so that drawing faults does not change the main stream. */
  public RandomGenerator faultRandom() {
    return time.faultRandom();
  }

  /** Virtual nanoseconds since the start. */
  public long nowNs() {
    return time.nowNs();
  }

  /** Mailbox steps and timer events so far. */
  public long eventsRun() {
    return time.eventsRun();
  }

  /** Hash over every event so far (time, actor path or timer, number) and every {@link #traceNote}. */
  public long traceHash() {
    return time.traceHash();
  }

  /** Folds a fact of the protocol or the test into the trace hash. */
  public void traceNote(long fact) {
    time.fold(fact);
  }

  VirtualTime time() {
    return time;
  }

  /** How many timers are pending, cancelled ones included. */
  public int pendingTimers() {
    return time.pendingEvents();
  }

  /**
   * Whether an actor that throws and is not supervised fails the run; true from the start. Turn it off around crashes that
   * the test means to happen.
   */
  public void failOnActorFailure(boolean fail) {
    time.failOnActorFailure(fail);
  }

  /**
   * Stops an actor and all below it where they are, as SIGSTOP stops a process: what they are told waits. Their alarms go off
   * and wait too.
   *
   * @param actorPath without address, for example {@code /user/node-1}
   */
  public void pause(String actorPath) {
    time.brake(actorPath, Brakes.HELD);
  }

  /** Lets paused or slowed actors run as before. */
  public void resume(String actorPath) {
    time.brake(actorPath, 0);
  }

  /** From now on each message costs an actor, and each below it, this many nanoseconds before it is looked at. */
  public void slow(String actorPath, long perMessageNs) {
    if (perMessageNs < 1) {
      throw new IllegalArgumentException("a delay of " + perMessageNs + " ns must be at least 1; resume() ends it");
    }
    time.brake(actorPath, perMessageNs);
  }

  /**
   * Stops any actor, wherever it is, from outside. What it was told and has not looked at is lost.
   *
   * @param actor an actor of this system
   */
  public void stop(ActorRef<?> actor) {
    classic.stop(Adapter.toClassic(actor));
  }

  /** Gives the run to another thread (the baton of a blocking application thread); called by the present holder. */
  public void handOver(Thread next) {
    time.handOver(next);
  }

  /**
   * Runs until no actor is ready and no timer is pending.
   *
   * @return events run by this call
   * @throws IllegalStateException if there are more than {@code maxEvents}
   */
  public long runUntilIdle(long maxEvents) {
    return time.runUntilIdle(maxEvents);
  }

  /**
   * Runs until the condition, looked at after each event, holds.
   *
   * @return whether it holds; false when {@code maxVirtualNs} have passed, the clock then stands at that limit
   */
  public boolean runUntil(BooleanSupplier condition, long maxVirtualNs) {
    return time.runUntil(condition, maxVirtualNs);
  }

  /** Runs everything of the next {@code ns} virtual nanoseconds. */
  public void runFor(long ns) {
    time.runUntil(() -> false, ns);
  }

  /** Stops all actors, letting them see {@code PostStop}. Pending timers do not fire. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    time.releaseBrakes();
    classic.terminate();
    time.runReady(CLOSE_MAX_EVENTS);
    if (!classic.whenTerminated().isCompleted()) {
      throw new IllegalStateException("the virtual system of seed " + time.seed() + " did not stop: an actor refuses to");
    }
  }
}
