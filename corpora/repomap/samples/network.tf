# The network of the shop.
terraform {
  required_version = ">= 1.5"
}

variable "region" {
  type        = string
  description = "Where the shop runs."
}

locals {
  name = "shop-${var.region}"
}

// The private network.
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
  tags = {
    Name = local.name
  }
}

resource "aws_subnet" "private" {
  vpc_id     = aws_vpc.main.id
  cidr_block = cidrsubnet(aws_vpc.main.cidr_block, 8, 1)
}

data "aws_ami" "linux" {
  most_recent = true
}

module "cluster" {
  source = "./cluster"
  subnet = aws_subnet.private.id
  image  = data.aws_ami.linux.id
}

output "vpc" {
  value = module.cluster.id
}
