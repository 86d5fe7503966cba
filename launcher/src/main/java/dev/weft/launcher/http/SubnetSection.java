package dev.weft.launcher.http;

import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.subnet.FabricView;
import dev.weft.fabric.subnet.GroupEntry;
import java.util.List;

/**
 * The section {@code subnet}: the last view from the subnet manager. It leaves out the addresses of the JVMs' shared memory.
 *
 * @param version grows with every change
 * @param jvms ordered by number
 * @param nodes nodes and their further devices, ordered by LID
 * @param groups multicast groups, with the numbers of the JVMs that receive
 * @param adverts adverts of services at nodes
 */
public record SubnetSection(long version, List<Jvm> jvms, List<NodeEntry> nodes, List<GroupEntry> groups, List<Advert> adverts) {
  /** Name of the section. */
  public static final String NAME = "subnet";

  /** One JVM; {@code trunkMtuBytes} is the largest payload that its trunks over shared memory carry. */
  public record Jvm(String jvm, long incarnation, int number, boolean reachable, int trunkMtuBytes) {}

  /** Makes the section from a view. Any thread. */
  public static SubnetSection of(FabricView view) {
    return new SubnetSection(view.version(), view.jvms().stream().map(entry -> new Jvm(entry.jvm(), entry.incarnation(), entry.number(),
        entry.reachable(), entry.trunks().pathMtuBytes())).toList(), view.nodes(), view.groups(), view.adverts());
  }
}
