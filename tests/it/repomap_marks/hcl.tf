variable "pure" {
  default = "a"
}
resource "a" "load" {
  content = file("a")
}
resource "a" "start" {
  provisioner "local-exec" {
    command = "a"
  }
}
