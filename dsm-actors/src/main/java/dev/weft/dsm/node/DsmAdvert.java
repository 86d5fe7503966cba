package dev.weft.dsm.node;

import dev.weft.dsm.member.Candidates;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.Directory;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Node;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A node's advert for its shared memory in the directory of the fabric, so that other nodes can join by the name of the space alone.
 *
 * @param node name of the node
 * @param space name of the shared memory
 * @param first name of the first node
 * @param memoryBytes size of the shared memory
 */
public record DsmAdvert(String node, String space, String first, long memoryBytes) {
  /** The service of these adverts. */
  public static final String SERVICE = Candidates.SERVICE;

  private static final String FIRST = "first";
  private static final String MEMORY = "memory";

  /** This advert in the form that the directory takes. */
  public Advert toAdvert() {
    return Advert.of(node, SERVICE, Map.of(Candidates.SPACE, space, FIRST, first, MEMORY, Long.toString(memoryBytes)));
  }

  /** Returns the advert of a node of {@code space}, of the first node if it is there. The result may be a moment old. */
  public static Optional<DsmAdvert> find(Directory directory, String space) {
    DsmAdvert found = null;
    for (Advert advert : directory.adverts(SERVICE)) {
      Optional<Long> memory = advert.number(MEMORY);
      if (Candidates.isOf(advert, space) && advert.text(FIRST).isPresent() && memory.isPresent()) {
        DsmAdvert one = new DsmAdvert(advert.node(), space, advert.text(FIRST).get(), memory.get());
        found = found == null || one.node.equals(one.first) ? one : found;
      }
    }
    return Optional.ofNullable(found);
  }

  /**
   * Joins a node to a shared memory that {@code weft up --dsm} serves, with the size that the memory has there. Waits until the node is a member.
   *
   * @throws IllegalStateException if no node serves it within {@code weft.dsm.join-timeout}, or the node is refused; the message says why
   */
  public static DsmNode join(Fabric fabric, Node node, String space) {
    DsmSettings settings = DsmSettings.from(fabric.config());
    if (!fabric.await(() -> find(fabric.directory(), space).isPresent(), Duration.ofNanos(settings.joinTimeoutNs()))) {
      throw new IllegalStateException("no node of this fabric serves shared memory \"" + space + "\" after weft.dsm.join-timeout; 'weft up --dsm " + space
          + "' does");
    }
    DsmAdvert advert = find(fabric.directory(), space).orElseThrow(() -> new IllegalStateException("shared memory \"" + space + "\" has just ended"));
    return DsmNode.join(fabric, node, space, advert.first(), settings.withMemory(advert.memoryBytes()));
  }
}
