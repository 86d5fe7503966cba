package dev.weft.fabric.node;

import dev.weft.fabric.Check;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a service offers at a node, for all of the fabric to read: its capacity, say. It is a part of the subnet manager's view, so that it
 * must be small; data goes over connections. A service has one advert at a node, which a later one replaces.
 *
 * @param node its name
 * @param service name of the service
 * @param attributes by name, in its order
 */
public record Advert(String node, String service, List<Attribute> attributes) {
  /** Most attributes. */
  public static final int ATTRIBUTES_MAX = 16;
  /** Longest value, in characters. */
  public static final int VALUE_MAX = 128;

  private static final String NAME = "[a-z][a-z0-9-]{0,31}";
  /** Of one advert in a control message, besides its texts: references and lengths. */
  private static final int OVERHEAD_BYTES = 16;

  /**
   * One thing that is said.
   *
   * @param name lower-case letters, digits and dashes, at most 32
   * @param value printable ASCII, at most {@value #VALUE_MAX}
   */
  public record Attribute(String name, String value) {
    public Attribute {
      Check.given("name of an attribute", name);
      Check.given("value of attribute " + name, value);
    }
  }

  /**
   * Checked.
   *
   * @throws IllegalArgumentException if a name or a value cannot be, or there are too many; the message says what would be right
   */
  public Advert {
    Check.given("node", node);
    Check.given("service", service);
    name("service", service);
    attributes = List.copyOf(attributes);
    if (attributes.size() > ATTRIBUTES_MAX) {
      throw new IllegalArgumentException("an advert has at most " + ATTRIBUTES_MAX + " attributes, that of " + service + " at " + node + " has "
          + attributes.size());
    }
    for (Attribute attribute : attributes) {
      name("attribute", attribute.name());
      if (!attribute.value().matches("[ -~]{0," + VALUE_MAX + "}")) {
        throw new IllegalArgumentException("attribute " + attribute.name() + " is '" + attribute.value() + "', must be at most " + VALUE_MAX
            + " printable ASCII characters");
      }
    }
  }

  /** With its attributes in the order of their names. */
  public static Advert of(String node, String service, Map<String, String> attributes) {
    List<Attribute> sorted = new ArrayList<>();
    new TreeMap<>(attributes).forEach((name, value) -> sorted.add(new Attribute(name, value)));
    return new Advert(node, service, sorted);
  }

  private static void name(String what, String name) {
    if (!name.matches(NAME)) {
      throw new IllegalArgumentException(what + " '" + name + "' must be 1 to 32 lower-case letters, digits and dashes, and start with a letter");
    }
  }

  /** What it says about {@code name}. */
  public Optional<String> text(String name) {
    return attributes.stream().filter(attribute -> attribute.name().equals(name)).map(Attribute::value).findFirst();
  }

  /**
   * The same as a number; empty also where it is none, since a peer of another version may say anything.
   */
  public Optional<Long> number(String name) {
    return text(name).filter(value -> value.matches("-?[0-9]{1,18}")).map(Long::valueOf);
  }

  /** Whether it is about the same. */
  public boolean replaces(Advert other) {
    return node.equals(other.node) && service.equals(other.service);
  }

  /**
   * Why it does not fit.
   *
   * @param leftBytes of {@code bytesMax}, which the setting allows the whole fabric
   * @param there what has the rest
   */
  public String misfit(int leftBytes, int bytesMax, Collection<Advert> there) {
    Map<String, Integer> byService = new TreeMap<>();
    there.forEach(other -> byService.merge(other.service(), other.bytes(), Integer::sum));
    String most = byService.entrySet().stream().max(Map.Entry.comparingByValue()).map(entry -> entry.getKey() + " (" + entry.getValue() + ")")
        .orElse("nobody");
    return "it takes " + bytes() + " bytes, and " + Math.max(0, leftBytes) + " are left of the " + bytesMax
        + " that weft.fabric.subnet.adverts-max-bytes allows the whole fabric; most of them has " + most;
  }

  /** For who offered it. */
  public IllegalArgumentException refused(String reason) {
    return new IllegalArgumentException("the advert of " + service + " at " + node + " was refused: " + reason);
  }

  /** Those of the same service at the same node taken out, how many bytes {@code there} have. */
  public int bytesBeside(Collection<Advert> there) {
    return there.stream().filter(other -> !replaces(other)).mapToInt(Advert::bytes).sum();
  }

  /** About its size in a control message. */
  public int bytes() {
    int sum = OVERHEAD_BYTES + node.length() + service.length();
    for (Attribute attribute : attributes) {
      sum += attribute.name().length() + attribute.value().length() + 4;
    }
    return sum;
  }
}
