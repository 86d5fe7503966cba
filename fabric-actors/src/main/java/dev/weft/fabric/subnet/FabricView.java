package dev.weft.fabric.subnet;

import dev.weft.fabric.cluster.ControlMessage;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.NodeEntry;
import java.util.List;

/**
 * The members of the fabric, as the subnet manager publishes them.
 *
 * @param version a number that grows with every change, also across managers
 * @param jvms ordered by number
 * @param nodes ordered by LID
 * @param groups multicast groups, ordered by LID
 * @param adverts adverts of the services at the nodes
 */
public record FabricView(long version, List<JvmEntry> jvms, List<NodeEntry> nodes, List<GroupEntry> groups, List<Advert> adverts)
    implements ControlMessage {
  /** The view without any JVM. */
  public static final FabricView EMPTY = new FabricView(0, List.of(), List.of(), List.of(), List.of());

  /** Returns the JVM at {@code host:port}, or null. */
  public JvmEntry jvm(String address) {
    for (JvmEntry entry : jvms) {
      if (entry.jvm().equals(address)) {
        return entry;
      }
    }
    return null;
  }
}
