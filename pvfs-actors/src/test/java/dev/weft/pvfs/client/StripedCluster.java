package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.daemon.DaemonSettings;
import dev.weft.pvfs.daemon.DaemonSnapshot;
import dev.weft.pvfs.daemon.IoDaemon;
import dev.weft.pvfs.wire.Band;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** I/O daemons and clients in one JVM, in real time. */
final class StripedCluster implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(90);
  final LocalFabric fabric;
  final Config config;
  final List<Node> hosts = new ArrayList<>();
  final List<IoDaemon> daemons = new ArrayList<>();
  final List<DaemonAddress> addresses = new ArrayList<>();
  private final AtomicInteger clients = new AtomicInteger();

  StripedCluster(int count, String settings) {
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\nweft.pvfs.daemon.memory = 16 MiB\n" + settings));
    config = fabric.config();
    try {
      for (int i = 0; i < count; i++) {
        hosts.add(fabric.addNode("io-" + i));
        addresses.add(new DaemonAddress("io-" + i, "pvfs-io"));
        daemons.add(startDaemon(i));
      }
    } catch (RuntimeException refused) {
      fabric.close();
      throw refused;
    }
  }

  IoDaemon startDaemon(int i) {
    DaemonSettings settings = DaemonSettings.from(config);
    return IoDaemon.start(hosts.get(i), "pvfs-io", settings.isOnDisk() ? settings.withDirectory(settings.directory() + "/io-" + i) : settings);
  }

  DataClient client(Band forced) {
    int number = clients.incrementAndGet();
    return DataClient.start(fabric, fabric.addNode("client-" + number), "test", addresses, ClientSettings.from(config).withForced(forced));
  }

  /** As the settings have it. */
  DataClient client() {
    return DataClient.start(fabric, fabric.addNode("client-" + clients.incrementAndGet()), "test", addresses, ClientSettings.from(config));
  }

  DaemonSnapshot daemon(int i) {
    CompletableFuture<DaemonSnapshot> answer = new CompletableFuture<>();
    hosts.get(0).spawnRole(Behaviors.setup(context -> {
      daemons.get(i).inspect(context.getSelf().unsafeUpcast());
      return Behaviors.receive(Object.class).onMessage(DaemonSnapshot.class, snapshot -> {
        answer.complete(snapshot);
        return Behaviors.stopped();
      }).build();
    }), "probe-" + clients.incrementAndGet());
    return fabric.await(answer, PATIENCE);
  }

  /** Nothing of what clients had is left at a daemon that is idle. */
  void assertIdle() {
    for (int i = 0; i < daemons.size(); i++) {
      DaemonSnapshot state = daemon(i);
      assertEquals(0, state.moving() + state.starving(), state::toString);
      state.clients().forEach(client -> assertEquals(0, client.underWay(), state::toString));
      if (state.disk() != null) {
        assertEquals(0, state.disk().zonesUsed() + state.disk().queue(), state::toString);
      }
    }
  }

  /** Ends a daemon and waits until its directory is free. */
  void stopDaemon(int i) {
    daemons.get(i).stop();
    fabric.await(daemons.get(i).closed().toCompletableFuture(), PATIENCE);
  }

  @Override
  public void close() {
    fabric.close();
  }
}
