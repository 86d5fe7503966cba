package dev.weft.pager.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.MemoryServerSnapshot;
import dev.weft.pager.server.ServerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A client node and memory servers on nodes of their own, in virtual time. */
final class SimulatedPager implements AutoCloseable {
  static final long SECOND = 1_000_000_000L;

  final VirtualFabric fabric;
  final List<MemoryServer> servers = new ArrayList<>();
  final List<String> serverNodes = new ArrayList<>();
  private int probes;

  SimulatedPager(long seed, LinkFaults faults, int serverCount, ServerSettings settings) {
    fabric = VirtualFabric.create(seed, faults);
    for (int i = 0; i < serverCount; i++) {
      String name = "server" + i;
      serverNodes.add(name);
      servers.add(MemoryServer.start(fabric.addNode(name), MemoryServer.SERVICE, settings));
    }
    fabric.system().runFor(1_000_000);
  }

  static Config config(String overrides) {
    return ConfigFactory.parseString(overrides).withFallback(ConfigFactory.load());
  }

  static ServerSettings serverSettings(String overrides) {
    return ServerSettings.from(config("weft.pager.server { " + overrides + " }"));
  }

  static PagerSettings clientSettings(String overrides) {
    return PagerSettings.from(config("weft.pager.client { " + overrides + " }"));
  }

  /** Opens a device of equal areas, or returns what was said instead in {@code refused}. */
  PagerDevice open(Node node, String name, long areaBytes, PagerSettings settings, List<String> refused) {
    List<ServerSpec> specs = serverNodes.stream().map(server -> new ServerSpec(server, MemoryServer.SERVICE, areaBytes)).toList();
    PagerDevice[] opened = new PagerDevice[1];
    PagerClient.open(node, name, specs, settings, null, new PagerClient.OpenListener() {
      @Override
      public void onOpen(PagerDevice device) {
        opened[0] = device;
      }

      @Override
      public void onFailed(String reason) {
        refused.add(reason);
      }
    });
    fabric.system().runUntil(() -> opened[0] != null || !refused.isEmpty(), 60 * SECOND);
    return opened[0];
  }

  PagerSnapshot inspect(PagerDevice device) {
    return ask(device::inspect);
  }

  MemoryServerSnapshot inspect(MemoryServer server) {
    return ask(server::inspect);
  }

  private <T> T ask(Consumer<ActorRef<T>> question) {
    List<T> answers = new ArrayList<>();
    ActorRef<T> probe = fabric.system().spawn(Behaviors.receiveMessage(answer -> {
      answers.add(answer);
      return Behaviors.stopped();
    }), "probe" + probes++);
    question.accept(probe);
    if (!fabric.system().runUntil(() -> !answers.isEmpty(), SECOND)) {
      throw new IllegalStateException("no answer to an inspection");
    }
    return answers.getFirst();
  }

  @Override
  public void close() {
    fabric.close();
  }
}
