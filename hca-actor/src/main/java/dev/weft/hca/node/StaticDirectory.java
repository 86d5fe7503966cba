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

/** A directory that the fabric fills itself: for one JVM without a cluster, and for virtual time. */
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

  /** Adds an advert; replaces an earlier advert of the same service at the node. */
  CompletionStage<Void> advertise(Advert advert, Config config) {
    int bytesMax = SubnetSettings.of(config).advertsMaxBytes();
    int left = bytesMax - advert.bytesBeside(adverts);
    String objection = !entries.containsKey(advert.node()) ? "this JVM has no node \"" + advert.node() + "\" on the fabric"
        : advert.bytes() > left ? advert.misfit(left, bytesMax, adverts) : null;
    if (objection != null) {
      return CompletableFuture.failedFuture(advert.refused(objection));
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
