package dev.weft.dsm.node;

/** The same where homes move to who writes. */
class MovingHomesLostHomeTest extends LostHomeTest {
  @Override
  String home() {
    return "dynamic";
  }
}
