package dev.weft.fabric.node;

import dev.weft.fabric.Check;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a service offers at a node, such as its capacity; all JVMs of the fabric can read it. An advert is a part of the subnet manager's
 * view, so it must be small; services send data over connections. A service has one advert at a node; a later one replaces it.
 *
 * @param node name of the node
 * @param service name of the service
 * @param attributes the attributes, in the order that the service chose
 */
public record Advert(String node, String service, List<Attribute> attributes) {
  /** Largest number of attributes. */
  public static final int ATTRIBUTES_MAX = 16;
  /** Longest value, in characters. */
  public static final int VALUE_MAX = 128;

  private static final String NAME = "[a-z][a-z0-9-]{0,31}";
  /** Bytes that one advert takes in a control message besides its texts: references and lengths. */
  private static final int OVERHEAD_BYTES = 16;

  /**
   * One attribute of an advert.
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
   * Checks the names and values.
   *
   * @throws IllegalArgumentException if a name or a value is malformed, or there are too many attributes; the message says what is allowed
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

  /** Returns an advert with its attributes sorted by name. */
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

  /** Returns the value of attribute {@code name}, if the advert has it. */
  public Optional<String> text(String name) {
    return attributes.stream().filter(attribute -> attribute.name().equals(name)).map(Attribute::value).findFirst();
  }

  /**
   * Returns the value of attribute {@code name} as a number. Empty also if the value is not a number: a peer of another version may send any text.
   */
  public Optional<Long> number(String name) {
    return text(name).filter(value -> value.matches("-?[0-9]{1,18}")).map(Long::valueOf);
  }

  /** Whether this advert replaces {@code other}: it has the same node and service. */
  public boolean replaces(Advert other) {
    return node.equals(other.node) && service.equals(other.service);
  }

  /**
   * Returns the reason, as text, why this advert does not fit.
   *
   * @param leftBytes bytes of {@code bytesMax} that are free
   * @param bytesMax bytes that the setting allows all adverts of the fabric together
   * @param there the adverts that take the rest
   */
  public String misfit(int leftBytes, int bytesMax, Collection<Advert> there) {
    Map<String, Integer> byService = new TreeMap<>();
    there.forEach(other -> byService.merge(other.service(), other.bytes(), Integer::sum));
    String most = byService.entrySet().stream().max(Map.Entry.comparingByValue()).map(entry -> entry.getKey() + " (" + entry.getValue() + ")")
        .orElse("nobody");
    return "it takes " + bytes() + " bytes, and " + Math.max(0, leftBytes) + " are left of the " + bytesMax
        + " that weft.fabric.subnet.adverts-max-bytes allows the whole fabric; most of them has " + most;
  }

  /** Returns the exception for the caller that offered this advert. */
  public IllegalArgumentException refused(String reason) {
    return new IllegalArgumentException("the advert of " + service + " at " + node + " was refused: " + reason);
  }

  /** Returns the bytes of the adverts in {@code there} that this one does not replace. */
  public int bytesBeside(Collection<Advert> there) {
    return there.stream().filter(other -> !replaces(other)).mapToInt(Advert::bytes).sum();
  }

  /** Returns its approximate size in a control message, in bytes. */
  public int bytes() {
    int sum = OVERHEAD_BYTES + node.length() + service.length();
    for (Attribute attribute : attributes) {
      sum += attribute.name().length() + attribute.value().length() + 4;
    }
    return sum;
  }
}
