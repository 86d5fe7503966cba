package dev.weft.hca.node;

import com.typesafe.config.Config;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.subnet.SubnetSettings;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A directory filled in by hand: for one JVM without a cluster, and for virtual time. */
final class StaticDirectory implements Directory {
  private final ConcurrentHashMap<String, NodeEntry> entries = new ConcurrentHashMap<>();
  private final CopyOnWriteArrayList<Advert> adverts = new CopyOnWriteArrayList<>();
  private final CopyOnWriteArrayList<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

  void add(NodeEntry entry) {
    if (entries.putIfAbsent(entry.name(), entry) != null) {
      throw new IllegalArgumentException("there is a node named " + entry.name() + " already");
    }
  }

  void remove(String name) {
    if (entries.remove(name) != null) {
      adverts.removeIf(advert -> advert.node().equals(name));
      listeners.forEach(listener -> listener.accept(name));
    }
  }

  @Override
  public Optional<NodeEntry> lookup(String nodeName) {
    return Optional.ofNullable(entries.get(nodeName));
  }

  @Override
  public List<NodeEntry> nodes() {
    return entries.values().stream().sorted(Comparator.comparingInt(NodeEntry::lid)).toList();
  }

  /** In place of what its service offered there. */
  CompletionStage<Void> advertise(Advert advert, Config config) {
    int left = SubnetSettings.of(config).advertsMaxBytes()
        - adverts.stream().filter(other -> !advert.replaces(other)).mapToInt(Advert::bytes).sum();
    if (advert.bytes() > left) {
      return CompletableFuture.failedFuture(new IllegalArgumentException("the advert of " + advert.service() + " at " + advert.node() + " takes "
          + advert.bytes() + " bytes, and " + left + " are left of what weft.fabric.subnet.adverts-max-bytes allows"));
    }
    if (!entries.containsKey(advert.node())) {
      return CompletableFuture.failedFuture(new IllegalArgumentException("this JVM has no node \"" + advert.node() + "\" on the fabric"));
    }
    adverts.removeIf(advert::replaces);
    adverts.add(advert);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public List<Advert> adverts(String service) {
    return adverts.stream().filter(advert -> advert.service().equals(service)).toList();
  }

  @Override
  public Subscription onNodeLost(Consumer<String> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }
}
