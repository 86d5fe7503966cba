package dev.weft.fabric.subnet;

import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.packet.Packet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.agrona.collections.Int2IntHashMap;

/** The directory of a cluster JVM, from the latest view. The agent writes it; when the JVM leaves the fabric, any thread may. Any thread reads it. */
public final class ClusterDirectory implements Directory {
  private record Snapshot(
      FabricView view,
      Map<String, NodeEntry> byName,
      Map<String, Integer> pathMtuByJvm,
      Int2IntHashMap pathMtuByLid,
      int pathMtuToAll) {
    static final Snapshot EMPTY = of(FabricView.EMPTY, Map.of());

    static Snapshot of(FabricView view, Map<String, Integer> pathMtuByJvm) {
      Map<String, NodeEntry> byName = new HashMap<>();
      Int2IntHashMap pathMtuByLid = new Int2IntHashMap(Integer.MAX_VALUE);
      for (NodeEntry node : view.nodes()) {
        byName.put(node.name(), node);
        Integer mtu = pathMtuByJvm.get(node.jvm());
        if (mtu != null && mtu != Integer.MAX_VALUE) {
          pathMtuByLid.put(node.lid(), mtu.intValue());
        }
      }
      int toAll = pathMtuByJvm.values().stream().mapToInt(Integer::intValue).min().orElse(Integer.MAX_VALUE);
      return new Snapshot(view, byName, pathMtuByJvm, pathMtuByLid, toAll);
    }
  }

  private final CopyOnWriteArrayList<Consumer<String>> nodeLost = new CopyOnWriteArrayList<>();
  private volatile Snapshot snapshot = Snapshot.EMPTY;
  private volatile boolean hasLeft;

  @Override
  public Optional<NodeEntry> lookup(String nodeName) {
    return Optional.ofNullable(snapshot.byName().get(nodeName));
  }

  @Override
  public List<NodeEntry> nodes() {
    return snapshot.view().nodes();
  }

  @Override
  public List<Advert> adverts(String service) {
    return snapshot.view().adverts().stream().filter(advert -> advert.service().equals(service)).toList();
  }

  /** Returns the view that this JVM has applied last. */
  public FabricView view() {
    return snapshot.view();
  }

  @Override
  public Subscription onNodeLost(Consumer<String> listener) {
    nodeLost.add(listener);
    return () -> nodeLost.remove(listener);
  }

  @Override
  public int pathMtuTo(String nodeName) {
    Snapshot now = snapshot;
    NodeEntry node = now.byName().get(nodeName);
    return node == null ? Integer.MAX_VALUE : now.pathMtuByJvm().getOrDefault(node.jvm(), Integer.MAX_VALUE);
  }

  @Override
  public int pathMtuToLid(int lid) {
    Snapshot now = snapshot;
    return Packet.isMulticast(lid) ? now.pathMtuToAll() : now.pathMtuByLid().get(lid);
  }

  /** Records that this JVM has left the fabric: reports all nodes, also its own, as lost, and ignores later views. Any thread. */
  public synchronized void loseAll() {
    if (!hasLeft) {
      hasLeft = true;
      show(FabricView.EMPTY, jvm -> Integer.MAX_VALUE);
    }
  }

  @Override
  public boolean hasLeft() {
    return hasLeft;
  }

  /**
   * Applies a view. A node that came back with another LID or JVM is reported as lost, too.
   *
   * @param pathMtuTo returns the largest payload in bytes of packets to a JVM
   */
  synchronized void apply(FabricView view, ToIntFunction<JvmEntry> pathMtuTo) {
    if (!hasLeft) {
      show(view, pathMtuTo);
    }
  }

  private void show(FabricView view, ToIntFunction<JvmEntry> pathMtuTo) {
    Snapshot before = snapshot;
    Map<String, Integer> pathMtuByJvm = new HashMap<>();
    view.jvms().forEach(jvm -> pathMtuByJvm.put(jvm.jvm(), pathMtuTo.applyAsInt(jvm)));
    Snapshot now = Snapshot.of(view, pathMtuByJvm);
    snapshot = now;
    for (NodeEntry old : before.view().nodes()) {
      if (!old.equals(now.byName().get(old.name()))) {
        nodeLost.forEach(listener -> listener.accept(old.name()));
      }
    }
  }
}
