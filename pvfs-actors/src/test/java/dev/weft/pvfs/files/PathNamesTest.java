package dev.weft.pvfs.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PathNamesTest {
  @Test
  void shouldSayEveryName() {
    Random random = new Random(3);
    for (int i = 0; i < 5000; i++) {
      byte[] name = new byte[1 + random.nextInt(12)];
      random.nextBytes(name);
      for (int at = 0; at < name.length; at++) {
        name[at] = name[at] == 0 ? 1 : name[at];
      }
      assertArrayEquals(name, PathNames.encode(PathNames.decode(name)));
    }
    String text = "a ä € 😀 \u0001";
    assertArrayEquals(text.getBytes(StandardCharsets.UTF_8), PathNames.encode(text));
    assertEquals(text, PathNames.decode(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void shouldRefuseWhatIsNoText() {
    assertThrows(IllegalArgumentException.class, () -> PathNames.encode("a\ud800"));
    assertThrows(IllegalArgumentException.class, () -> PathNames.encode("a\udc00"));
    assertThrows(IllegalArgumentException.class, () -> PathNames.encode("a\0b"));
  }
}
