package dev.weft.fabric.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AdvertTest {
  private static String refusal(String service, Map<String, String> attributes) {
    return assertThrows(IllegalArgumentException.class, () -> Advert.of("a", service, attributes)).getMessage();
  }

  @Test
  void shouldSayWhatCannotBeAndWhatCan() {
    assertTrue(refusal("Disk", Map.of()).contains("service 'Disk' must be 1 to 32 lower-case letters"));
    assertTrue(refusal("disk", Map.of("a b", "")).contains("attribute 'a b' must be"));
    assertTrue(refusal("disk", Map.of("text", "x".repeat(129))).contains("at most 128 printable ASCII characters"));
    assertTrue(refusal("disk", Map.of("text", "\n")).contains("printable"));
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i <= Advert.ATTRIBUTES_MAX; i++) {
      many.put("k" + i, "");
    }
    assertTrue(refusal("disk", many).contains("has at most 16 attributes, that of disk at a has 17"));
  }

  @Test
  void shouldTakeANumberForNoneThatIsNone() {
    Advert advert = Advert.of("a", "disk", Map.of("capacity", "-12", "state", "12k", "long", "1234567890123456789"));
    assertEquals(Optional.of(-12L), advert.number("capacity"));
    assertEquals(Optional.empty(), advert.number("state"));
    assertEquals(Optional.empty(), advert.number("long"));
    assertEquals(Optional.empty(), advert.number("other"));
    assertEquals(Optional.of("12k"), advert.text("state"));
  }

  @Test
  void shouldBeTheSameWhateverTheOrderOfItsAttributes() {
    Map<String, String> one = new HashMap<>();
    one.put("b", "2");
    one.put("a", "1");
    assertEquals(Advert.of("n", "s", Map.of("a", "1", "b", "2")), Advert.of("n", "s", one));
    assertTrue(Advert.of("n", "s", one).replaces(Advert.of("n", "s", Map.of())));
  }
}
