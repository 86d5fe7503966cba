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
 * An actor system in deterministic virtual time. The same seed, actors and calls give the same trace hash, in any JVM. The
 * thread that created the system runs it; no other thread may send messages to its actors. Actors for {@code
 * weft.hardware-dispatcher} run unchanged.
 *
 * <p>Every {@code run} method throws {@link IllegalStateException} if another thread enqueued something, or if an actor
 * threw and was not supervised; the message names the seed.
 */
public final class VirtualSystem implements AutoCloseable {
  private static final long CLOSE_MAX_EVENTS = 10_000_000;
  private static final Config BASE =
      ConfigFactory.parseResources(VirtualSystem.class, "virtual.conf")
          .withFallback(ConfigFactory.defaultReferenceUnresolved())
          .resolve();

  /** Hides the manifests: each actor system would read those of all jars to compare the versions of Akka's modules. */
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

  /** Makes a system for one seed. */
  public static VirtualSystem create(long seed) {
    return create(seed, ConfigFactory.empty());
  }

  /**
   * Makes a system for one seed, with settings that override the modules' {@code reference.conf}.
   *
   * @throws IllegalArgumentException if a setting is unknown or out of range; the message names it
   */
  public static VirtualSystem create(long seed, Config settings) {
    KnownSettings.check(settings);
    Config base = settings.isEmpty() ? BASE : settings.withFallback(BASE).resolve();
    return new VirtualSystem(base.withValue("weft.virtual-time.seed", ConfigValueFactory.fromAnyRef(seed)));
  }

  /** Makes a system with a first actor called {@code root}. */
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

  /** Returns the actor system. */
  public ActorSystem<Void> system() {
    return system;
  }

  /** Returns the clock, the timers and the main random stream. */
  public FabricContext context() {
    return new FabricContext(time, time, time.random());
  }

  /** Returns the virtual clock, which starts at 0. */
  public Clock clock() {
    return time;
  }

  /** Returns the timers of virtual time. */
  public Timers timers() {
    return time;
  }

  /** Returns the main random stream: for keys, first PSNs and the workload. */
  public RandomGenerator random() {
    return time.random();
  }

  /** Returns the random stream for faults. It is separate, so that drawing faults does not change the main stream. */
  public RandomGenerator faultRandom() {
    return time.faultRandom();
  }

  /** Returns the virtual nanoseconds since the start. */
  public long nowNs() {
    return time.nowNs();
  }

  /** Returns the number of mailbox steps and timer events so far. */
  public long eventsRun() {
    return time.eventsRun();
  }

  /** Returns the hash of all events so far (time, actor path or timer, number) and all {@link #traceNote}s. */
  public long traceHash() {
    return time.traceHash();
  }

  /** Adds a fact of the protocol or the test to the trace hash. */
  public void traceNote(long fact) {
    time.fold(fact);
  }

  VirtualTime time() {
    return time;
  }

  /** Returns how many timers are pending, including cancelled ones. */
  public int pendingTimers() {
    return time.pendingEvents();
  }

  /**
   * Sets whether an unsupervised actor that throws fails the run; true by default. Turn it off around crashes that the test
   * causes on purpose.
   */
  public void failOnActorFailure(boolean fail) {
    time.failOnActorFailure(fail);
  }

  /**
   * Pauses an actor and all actors below it, as SIGSTOP stops a process. Messages to them wait. Their alarms fire, and the
   * messages of the alarms wait, too.
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

  /** Slows an actor and all actors below it: from now on, each message waits {@code perMessageNs} before the actor handles it. */
  public void slow(String actorPath, long perMessageNs) {
    if (perMessageNs < 1) {
      throw new IllegalArgumentException("a delay of " + perMessageNs + " ns must be at least 1; resume() ends it");
    }
    time.brake(actorPath, perMessageNs);
  }

  /**
   * Stops any actor of this system from outside. Messages that it has not handled yet are lost.
   *
   * @param actor an actor of this system
   */
  public void stop(ActorRef<?> actor) {
    classic.stop(Adapter.toClassic(actor));
  }

  /** Hands the baton to another thread, for blocking application threads. The present holder calls this. */
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
   * Runs until the condition holds; evaluates it after each event.
   *
   * @return whether it holds; if {@code maxVirtualNs} have passed, the clock is at that limit
   */
  public boolean runUntil(BooleanSupplier condition, long maxVirtualNs) {
    return time.runUntil(condition, maxVirtualNs);
  }

  /** Runs all events of the next {@code ns} virtual nanoseconds. */
  public void runFor(long ns) {
    time.runUntil(() -> false, ns);
  }

  /** Stops all actors; they get {@code PostStop}. Pending timers do not fire. */
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
