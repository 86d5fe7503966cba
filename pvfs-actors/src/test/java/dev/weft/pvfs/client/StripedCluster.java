package dev.weft.pvfs.client;

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
  static final Duration PATIENCE = Duration.ofSeconds(20);
  final LocalFabric fabric;
  final Config config;
  final List<Node> hosts = new ArrayList<>();
  final List<IoDaemon> daemons = new ArrayList<>();
  final List<DaemonAddress> addresses = new ArrayList<>();
  private final AtomicInteger clients = new AtomicInteger();

  StripedCluster(int count, String settings) {
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\nweft.pvfs.daemon.memory = 16 MiB\n" + settings));
    config = fabric.config();
    for (int i = 0; i < count; i++) {
      hosts.add(fabric.addNode("io-" + i));
      addresses.add(new DaemonAddress("io-" + i, "pvfs-io"));
      daemons.add(startDaemon(i));
    }
  }

  IoDaemon startDaemon(int i) {
    return IoDaemon.start(hosts.get(i), "pvfs-io", DaemonSettings.from(config));
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

  @Override
  public void close() {
    fabric.close();
  }
}
