package dev.weft.dsm.node;

import org.junit.jupiter.api.Tag;

/** The same with the synchronous engine. */
@Tag("slow")
@Tag("actor")
class SynchronousLeavingNodeTest extends LeavingNodeTest {
  @Override
  String engine() {
    return "synchronous";
  }
}
