package dev.weft.dsm.node;

import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.Directory;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Node;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a node of shared memory says of itself in the directory of the fabric, so that others join by the name of the space alone.
 *
 * @param node its name
 * @param space name of the shared memory
 * @param first name of the first node
 * @param memoryBytes shared memory
 */
public record DsmAdvert(String node, String space, String first, long memoryBytes) {
  /** Whose adverts these are. */
  public static final String SERVICE = "dsm";

  private static final String SPACE = "space";
  private static final String FIRST = "first";
  private static final String MEMORY = "memory";

  /** As the directory takes it. */
  public Advert toAdvert() {
    return Advert.of(node, SERVICE, Map.of(SPACE, space, FIRST, first, MEMORY, Long.toString(memoryBytes)));
  }

  /** Whether it is that of a node of {@code space}. */
  static boolean isOf(Advert advert, String space) {
    return advert.text(SPACE).filter(space::equals).isPresent();
  }

  /** That of a node of {@code space}, the first one's if that is there; a moment old. */
  public static Optional<DsmAdvert> find(Directory directory, String space) {
    DsmAdvert found = null;
    for (Advert advert : directory.adverts(SERVICE)) {
      Optional<Long> memory = advert.number(MEMORY);
      if (isOf(advert, space) && advert.text(FIRST).isPresent() && memory.isPresent()) {
        DsmAdvert one = new DsmAdvert(advert.node(), space, advert.text(FIRST).get(), memory.get());
        found = found == null || one.node.equals(one.first) ? one : found;
      }
    }
    return Optional.ofNullable(found);
  }

  /**
   * Makes a node a member of a shared memory that {@code weft up --dsm} serves, with the size that it has there. Waits until it is one.
   *
   * @throws IllegalStateException if nobody serves it for {@code weft.dsm.join-timeout}, or it is not let in; the message says why
   */
  public static DsmNode join(Fabric fabric, Node node, String space) {
    DsmSettings settings = DsmSettings.from(fabric.config());
    if (!fabric.await(() -> find(fabric.directory(), space).isPresent(), Duration.ofNanos(settings.joinTimeoutNs()))) {
      throw new IllegalStateException("nobody in this fabric serves shared memory \"" + space + "\" after weft.dsm.join-timeout; 'weft up --dsm " + space
          + "' does");
    }
    DsmAdvert advert = find(fabric.directory(), space).orElseThrow(() -> new IllegalStateException("shared memory \"" + space + "\" has just ended"));
    return DsmNode.join(fabric, node, space, advert.first(), settings.withMemory(advert.memoryBytes()));
  }
}
