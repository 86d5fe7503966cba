package dev.weft.service.access;

import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.ControlPort;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.cluster.JoinCheck;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.NodeLink;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.DriverPlace;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins the fabric of {@code weft up}, on this host or another, with its secret if it has one. The media driver is that of the fabric if it runs
 * on this host for this user, else a new one, which ends with the fabric that is returned.
 */
public final class FabricAccess {
  /** Cluster role of the first JVM of {@code weft up}. If the network splits the fabric, the side with this JVM survives. */
  public static final String FIRST_ROLE = "front";

  /** Cluster role of a program that takes part, such as a mount. */
  public static final String PROGRAM_ROLE = "program";

  private static final Logger LOG = LoggerFactory.getLogger(FabricAccess.class);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LOOK_MS = 50;

  private FabricAccess() {}

  /**
   * What this JVM is in the fabric.
   *
   * @param role its cluster role
   * @param link the cables between its nodes and its switch
   * @param lost gets the reason, once, if this JVM loses the fabric
   */
  public record Entry(String role, NodeLink link, Consumer<String> lost) {
    /** A program that takes part. */
    public static Entry program(Consumer<String> lost) {
      return new Entry(PROGRAM_ROLE, NodeLink.DIRECT, lost);
    }
  }

  /**
   * Joins as a program the fabric of the setting {@code weft.cluster.fabric}, else that of this user on this host. Waits until the fabric has
   * admitted this JVM. Logs the reason if this JVM loses the fabric.
   *
   * @throws CommandFailure if there is no such fabric, or it does not admit this JVM; the message says what to do
   */
  public static ClusterFabric open() throws IOException {
    return open(null, null, null, PROGRAM_ROLE);
  }

  /**
   * Like {@link #open()}.
   *
   * @param target {@code HOST[:PORT]} of the fabric; null for the one of {@link #open()}
   * @param bind address of this host at which the fabric reaches this JVM; null for the setting {@code weft.cluster.bind}, else the address that
   *     this host has towards the fabric
   * @param secretFile file with the fabric's secret; null for the usual places, see {@link SecretChoice}
   * @param role cluster role of this JVM
   * @throws IllegalArgumentException if {@code target} has another form
   */
  public static ClusterFabric open(String target, String bind, Path secretFile, String role) throws IOException {
    Config config = ConfigFactory.load();
    return open(FabricChoice.of(target, bind, secretFile, config, StateDirectory.open()), config,
        new Entry(role, NodeLink.DIRECT, reason -> LOG.error("this JVM has lost the fabric: {}", reason)));
  }

  /** Like {@link #open()}, with a choice of the fabric, with settings and with a role. */
  public static ClusterFabric open(FabricChoice choice, Config config, Entry entry) throws IOException {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<String> failure = new AtomicReference<>();
    ClusterFabric fabric = enter(choice, config, new Entry(entry.role(), entry.link(), reason -> {
      failure.set(reason);
      ended.countDown();
      entry.lost().accept(reason);
    }));
    try {
      fabric.system().getWhenTerminated().thenRun(ended::countDown);
      if (awaitMembership(fabric, PATIENCE, ended)) {
        return fabric;
      }
      String reason = ended.getCount() > 0 ? choice.silence() : JoinCheck.refusal() != null ? JoinCheck.refusal() : failure.get();
      throw new CommandFailure(reason == null ? "the fabric at " + choice.target() + " has not admitted this JVM" : reason);
    } catch (InterruptedException e) {
      fabric.close();
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted while joining the fabric at " + choice.target(), e);
    } catch (CommandFailure e) {
      fabric.close();
      throw e;
    }
  }

  /** Joins without waiting for the admission; see {@link #awaitMembership}. */
  public static ClusterFabric enter(FabricChoice choice, Config config, Entry entry) throws IOException {
    FabricKeys keys = JoinAdmission.ask(choice.target(), choice.bind(), choice.secret());
    Config here = choice.bind().applyTo(config);
    String seed = choice.target().seed();
    DriverPlace driver = DriverPlace.forJoin(here, choice.driverDirectory(), seed);
    try {
      ClusterFabric fabric = start(new Start(choice.bind(), 0, List.of(seed), driver.path(), keys), here, entry);
      fabric.afterClose(driver::close);
      return fabric;
    } catch (IOException | RuntimeException | Error e) {
      driver.close();
      throw e;
    }
  }

  /**
   * Enters the fabric whose first JVM has started this one on the same host; does not wait for the admission.
   *
   * @param seed {@code host:port} of the first JVM
   * @param driver directory of its media driver
   * @param secretFile file with the fabric's secret; null if it has none
   */
  public static ClusterFabric enterAsMember(String seed, HostAddress host, Path driver, Path secretFile, Config config, Entry entry)
      throws IOException {
    FabricKeys keys = secretFile == null ? null : JoinAdmission.ask(FabricTarget.of(seed), host, new SecretChoice(secretFile, true));
    return start(new Start(host, 0, List.of(seed), driver, keys), host.applyTo(config), entry);
  }

  /**
   * Starts a fabric with this JVM as its first.
   *
   * @param port port of the control plane
   * @param keys the fabric's keys; null if it has no secret
   * @throws ControlPort.TakenException if another process has the port
   */
  public static ClusterFabric startFirst(HostAddress host, int port, Path driver, FabricKeys keys, Config config, Entry entry) throws IOException {
    return start(new Start(host, port, List.of(), driver, keys), host.applyTo(config), entry);
  }

  private record Start(HostAddress host, int port, List<String> seeds, Path driver, FabricKeys keys) {}

  private static ClusterFabric start(Start start, Config config, Entry entry) throws ControlPort.TakenException {
    MediaDriverSettings driver = MediaDriverSettings.of(config).withDirectory(start.driver());
    try {
      return ClusterFabric.start(new ClusterFabric.Place(start.host().host(), start.port(), start.seeds(), List.of(entry.role()), driver, entry.link(),
          entry.lost()), config, start.keys());
    } catch (ControlPort.TakenException e) {
      throw e;
    } catch (IOException | IllegalStateException e) {
      throw new CommandFailure(e.getMessage(), e); // Errors of directories, disk space or the media driver: the message is enough.
    }
  }

  /**
   * Waits until this JVM is a member of the fabric.
   *
   * @param ended ends the wait
   * @return false if {@code patience} is over, or {@code ended} is down
   */
  public static boolean awaitMembership(ClusterFabric fabric, Duration patience, CountDownLatch ended) throws InterruptedException {
    long endNs = System.nanoTime() + patience.toNanos();
    while (!Cluster.get(fabric.system()).selfMember().status().equals(MemberStatus.up())) {
      if (ended.await(LOOK_MS, TimeUnit.MILLISECONDS) || System.nanoTime() > endNs) {
        return false;
      }
    }
    return true;
  }
}
