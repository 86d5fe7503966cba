package dev.weft.fabric.subnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.node.Advert;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who advertises is answered once, whatever comes between. */
class AgentAdvertsTest {
  private final List<String> answers = new ArrayList<>();
  private final AgentAdverts adverts = new AgentAdverts(200);

  private static Advert advert(String service, String value) {
    return Advert.of("a", service, Map.of("k", value));
  }

  private void answered(String reason) {
    answers.add(String.valueOf(reason));
  }

  @Test
  void shouldAnswerWhenTheChangeIsKnownThatNamesIt() {
    assertTrue(adverts.add(advert("disk", "1"), 5, this::answered));
    assertFalse(adverts.onRegistered(4, List.of()));
    assertEquals(List.of(), answers);
    adverts.onRegistered(5, List.of());
    adverts.onRegistered(6, List.of());
    assertEquals(List.of("null"), answers);
  }

  @Test
  void shouldForgetOneThatIsRefusedAtOnceAndKeepOneThatWasTakenBefore() {
    adverts.add(advert("disk", "1"), 1, this::answered);
    AdvertRefusal refusal = new AdvertRefusal("a", "disk", "no room");
    assertTrue(adverts.onRegistered(1, List.of(refusal)));
    assertEquals(List.of("no room"), answers);
    assertEquals(List.of(), adverts.claims());

    adverts.add(advert("disk", "2"), 2, this::answered);
    adverts.onRegistered(2, List.of());
    assertFalse(adverts.onRegistered(3, List.of(refusal)), "another subnet manager has less room, for a while");
    assertEquals(List.of(advert("disk", "2")), adverts.claims());
  }

  @Test
  void shouldTellWhoWaitsThatItIsNotNamedAnyMore() {
    adverts.add(advert("one", ""), 1, this::answered);
    adverts.add(advert("one", "again"), 2, this::answered);
    adverts.add(advert("two", ""), 3, this::answered);
    adverts.remove("a", "two");
    adverts.add(advert("three", ""), 4, this::answered);
    adverts.removeNode("a");
    adverts.add(advert("four", ""), 5, this::answered);
    adverts.close();
    assertEquals(List.of("another one was given for it", "it was withdrawn", "its node was removed", "its node was removed",
        "this JVM has left the fabric"), answers);
  }

  @Test
  void shouldNotNameMoreThanARegistrationCanCarry() {
    assertTrue(adverts.add(advert("disk", "x".repeat(100)), 1, this::answered));
    assertFalse(adverts.add(advert("large", "y".repeat(100)), 2, this::answered));
    assertTrue(answers.getFirst().contains("of the 200 that weft.fabric.subnet.adverts-max-bytes allows"), answers.toString());
    assertTrue(adverts.add(advert("disk", "z".repeat(120)), 2, this::answered), "in its own place there is room");
  }
}
