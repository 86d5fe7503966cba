package dev.weft.fabric.subnet;

import dev.weft.fabric.node.NodeEntry;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * JVMs that will be removed for certain, because their process has ended or the cluster has downed them. What a view says of them is not believed any
 * more, though the cluster removes them some seconds later. An incarnation never comes back, so a JVM that is started again at the same address is
 * another one. Bound: {@value #MAX}, the oldest is forgotten first. The thread of the agent, or of the
 * subnet manager.
 */
final class DownedJvms {
  static final int MAX = 1024;

  private record Jvm(String jvm, long incarnation) {}

  private final LinkedHashSet<Jvm> downed = new LinkedHashSet<>();

  /** Whether that is news. */
  boolean add(String jvm, long incarnation) {
    boolean isNew = downed.add(new Jvm(jvm, incarnation));
    if (downed.size() > MAX) {
      downed.removeFirst();
    }
    return isNew;
  }

  /** Whether it is one of them. */
  boolean has(String jvm, long incarnation) {
    return downed.contains(new Jvm(jvm, incarnation));
  }

  /** The view without them, their nodes, what is offered there, and their places in groups; the same one if none of them is in it. */
  FabricView without(FabricView view) {
    List<JvmEntry> jvms = view.jvms().stream().filter(jvm -> !has(jvm.jvm(), jvm.incarnation())).toList();
    if (jvms.size() == view.jvms().size()) {
      return view;
    }
    Set<String> addresses = jvms.stream().map(JvmEntry::jvm).collect(Collectors.toSet());
    Set<Integer> numbers = jvms.stream().map(JvmEntry::number).collect(Collectors.toSet());
    List<NodeEntry> nodes = view.nodes().stream().filter(node -> addresses.contains(node.jvm())).toList();
    Set<String> names = nodes.stream().map(NodeEntry::name).collect(Collectors.toSet());
    List<GroupEntry> groups = view.groups().stream()
        .map(group -> new GroupEntry(group.name(), group.lid(), group.receivers().stream().filter(numbers::contains).toList())).toList();
    return new FabricView(view.version(), jvms, nodes, groups, view.adverts().stream().filter(advert -> names.contains(advert.node())).toList());
  }
}
