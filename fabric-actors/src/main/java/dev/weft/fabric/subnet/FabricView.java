package dev.weft.fabric.subnet;

import dev.weft.fabric.cluster.ControlMessage;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.NodeEntry;
import java.util.List;

/**
 * Who is on the fabric.
 *
 * @param version grows with every change, also across managers
 * @param jvms ordered by number
 * @param nodes ordered by LID
 * @param groups multicast groups, ordered by LID
 * @param adverts what services offer at nodes
 */
public record FabricView(long version, List<JvmEntry> jvms, List<NodeEntry> nodes, List<GroupEntry> groups, List<Advert> adverts)
    implements ControlMessage {
  /** Nobody. */
  public static final FabricView EMPTY = new FabricView(0, List.of(), List.of(), List.of(), List.of());

  /** The JVM at {@code host:port}, or null. */
  public JvmEntry jvm(String address) {
    for (JvmEntry entry : jvms) {
      if (entry.jvm().equals(address)) {
        return entry;
      }
    }
    return null;
  }
}
