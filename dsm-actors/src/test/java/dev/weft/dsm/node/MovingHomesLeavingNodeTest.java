package dev.weft.dsm.node;

import org.junit.jupiter.api.Tag;

/** The same where homes move to who writes. */
@Tag("slow")
@Tag("actor")
class MovingHomesLeavingNodeTest extends LeavingNodeTest {
  @Override
  String home() {
    return "dynamic";
  }
}
