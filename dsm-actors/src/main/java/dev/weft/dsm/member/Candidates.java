package dev.weft.dsm.member;

import dev.weft.dsm.objects.DsmParts;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.NodeEntry;
import java.util.List;
import java.util.stream.Stream;

/**
 * The nodes that a joining node asks: the founder that it was given, and in turn with it other nodes of the fabric, because the first node may be
 * gone. If nodes advertise the space, only those are asked in place of all others. Used in the receive context.
 */
public final class Candidates {
  /** The service of the adverts of shared memories. */
  public static final String SERVICE = "dsm";
  /** The field of an advert with the name of the space. */
  public static final String SPACE = "space";

  private final Directory directory;
  private final String own;
  private final String space;
  private final String founder;
  private String hint;
  private int attempts;
  private int turn;

  Candidates(DsmParts parts) {
    this(parts.node().directory(), parts.node().name(), parts.space(), parts.founder());
  }

  Candidates(Directory directory, String own, String space, String founder) {
    this.directory = directory;
    this.own = own;
    this.space = space;
    this.founder = founder;
  }

  /** A node has named the node that assigns numbers: that one is asked next, once. */
  void hint(String node) {
    hint = node.isEmpty() || node.equals(own) ? null : node;
  }

  String next() {
    if (hint != null) {
      String told = hint;
      hint = null;
      return told;
    }
    if (attempts++ % 2 == 0) {
      return founder;
    }
    List<String> others = others();
    return others.isEmpty() ? founder : others.get(turn++ % others.size());
  }

  /** Whether the advert is of a node of {@code space}. */
  public static boolean isOf(Advert advert, String space) {
    return advert.text(SPACE).filter(space::equals).isPresent();
  }

  private List<String> others() {
    List<String> serving = notFounder(directory.adverts(SERVICE).stream().filter(advert -> isOf(advert, space)).map(Advert::node));
    return serving.isEmpty() ? notFounder(directory.nodes().stream().map(NodeEntry::name)) : serving;
  }

  private List<String> notFounder(Stream<String> nodes) {
    return nodes.filter(node -> !node.equals(own) && !node.equals(founder)).toList();
  }
}
