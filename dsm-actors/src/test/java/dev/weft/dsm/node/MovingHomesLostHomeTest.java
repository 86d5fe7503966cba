package dev.weft.dsm.node;

import org.junit.jupiter.api.Tag;

/** The same where homes move to who writes. */
@Tag("actor")
class MovingHomesLostHomeTest extends LostHomeTest {
  @Override
  String home() {
    return "dynamic";
  }
}
